"""Taking up an edited package while a chain runs: its modules are imported anew, and their contracts declared.

The chain keeps its state, and what was deployed keeps the code that it has: a class is known by the digest of its source,
and the old one stays declared beside the new. If the package as it is now cannot be imported, nothing changes.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib import invalidate_caches
from importlib.util import cache_from_source
from pathlib import Path
from stat import S_ISREG

from chain.concurrency.turn import in_turn
from chain.errors import DeclarationError
from chain.metering.module_copies import retire
from chain.metering.program import (
    Program,
    program_of,
)
from chain.simulator.catalogue import (
    ContractCatalogue,
    ContractNotFound,
)
from chain.simulator.chain import Chain
from chain.simulator.reader import run_guard
from chain.source.top_level import author_module

Stamps = dict[Path, tuple[int, int]]


class Package:
    """The package whose contracts a chain offers, to be taken up again when it was edited."""

    def __init__(self, chain: Chain, offered: ContractCatalogue) -> None:
        self._chain, self.offered = chain, offered
        self._modules = _modules(offered)
        self._stamps = _stamps(self._modules)

    @property
    def is_edited(self) -> bool:
        """Whether a file of it is another one than when it was last taken up, or tried to be."""
        return _stamps(self._modules) != self._stamps

    def reload(self) -> list[Program]:
        """Import it as it is now and declare its contracts; those that are new. `NotOffered` says what is wrong."""
        machine = self._chain.machine
        self._stamps = before = _stamps(self._modules)
        self.offered = in_turn(imported_anew, self.offered, is_checked=machine.guards)
        self._modules = _modules(self.offered)
        now = _stamps(self._modules)
        # As they were before the import: an edit while it went on is to be seen.
        self._stamps = {path: before.get(path, stamp) for path, stamp in now.items()}
        made = [program_of(cls) for cls in self.offered.classes]
        new = [program for program in made if program.digest not in machine.programs]
        for program in made:
            machine.programs.pop(program.digest, None)  # the newest of a name stands last
            machine.declare(program)
            self._chain.declare(program.spec.cls)
        return new


def imported_anew(offered: ContractCatalogue, *, is_checked: bool = True) -> ContractCatalogue:
    """A package with the modules beside it that its contracts use, as their sources are now, or all as it was."""
    old = {name: sys.modules[name] for name in _modules(offered)}
    undo = retire(old)
    _forget(old)
    try:
        made = ContractCatalogue(offered.package)
        for cls in made.classes:
            if is_checked:
                run_guard(cls)
            program_of(cls)
    except BaseException as wrong:
        _forget(_modules(offered))
        sys.modules.update(old)
        undo()
        if isinstance(wrong, DeclarationError):
            raise ContractNotFound(str(wrong)) from wrong
        raise
    return made


def _modules(offered: ContractCatalogue) -> list[str]:
    """The modules of a package, and those of its author that they import."""
    top = offered.package.partition(".")[0]
    waiting = [name for name in sys.modules if f"{name}.".startswith(f"{top}.")]
    found = dict.fromkeys(waiting)
    while waiting:
        module = author_module(waiting.pop(), top)
        targets = (
            [each.import_path for each in module.names.values() if each.import_path]
            if module
            else []
        )
        for name in {prefix for target in targets for prefix in _prefixes(target)}:
            if name not in found and author_module(name, top) is not None:
                found[name] = None
                waiting.append(name)
    return [name for name in found if name.partition(".")[0] != "chain"]


def _prefixes(path: str) -> Iterator[str]:
    """Of `a.b.c` the modules that it may lead through: a, a.b, a.b.c."""
    parts = path.split(".")
    return (".".join(parts[:count]) for count in range(1, len(parts) + 1))


def _forget(modules: Iterable[str]) -> None:
    """Have Python read these modules from their sources, whatever it has compiled before."""
    for name in modules:
        file = getattr(sys.modules.pop(name, None), "__file__", None)
        if file:
            with suppress(OSError, NotImplementedError):
                Path(cache_from_source(file)).unlink(missing_ok=True)
    invalidate_caches()
    linecache.checkcache()


def _stamps(modules: Iterable[str]) -> Stamps:
    """Of the files of these modules, and of all that lie in packages, when they were last changed, and their sizes."""
    found: Stamps = {}
    for path in _files(modules):
        with suppress(OSError):
            status = path.stat()
            if S_ISREG(status.st_mode):
                found[path] = status.st_mtime_ns, status.st_size
    return found


def _files(modules: Iterable[str]) -> Iterator[Path]:
    for name in modules:
        module = sys.modules.get(name)
        file = getattr(module, "__file__", None)
        if file:
            yield Path(file)
        if "." not in name:
            for folder in getattr(module, "__path__", ()):
                yield from (each for each in Path(folder).rglob("*") if "__pycache__" not in each.parts)  # fmt: skip
