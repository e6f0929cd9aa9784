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
from typing import Final

from chain.code import Program, program_of
from chain.errors import DeclarationError
from chain.image.making import modules_of
from chain.image.worlds import retire
from chain.looking import check
from chain.offered import NotOffered, Offered
from chain.simulator import Chain

_KEPT: Final = ("chain", "__main__")

Stamps = dict[Path, tuple[int, int]]


class Package:
    """The package whose contracts a chain offers, to be taken up again when it was edited."""

    def __init__(self, chain: Chain, offered: Offered) -> None:
        self._chain = chain
        self._take(offered)

    def _take(self, offered: Offered) -> None:
        self.offered, self._used = offered, _used_by(offered)
        self._stamps = self._stamps_now()

    def _stamps_now(self) -> Stamps:
        return _stamps(_modules(self.offered, self._used))

    @property
    def is_edited(self) -> bool:
        """Whether a file of it is another one than when it was last taken up, or tried to be."""
        return self._stamps_now() != self._stamps

    def reload(self) -> list[Program]:
        """Import it as it is now and declare its contracts; those that are new. `NotOffered` says what is wrong."""
        machine = self._chain.machine
        self._stamps = self._stamps_now()
        self._take(imported_anew(self.offered, is_checked=machine.guards))
        made = [program_of(cls) for cls in self.offered.classes]
        new = [program for program in made if program.digest not in machine.programs]
        for program in made:
            machine.programs.pop(program.digest, None)  # the newest of a name stands last
            machine.declare(program)
            self._chain.declare(program.spec.cls)
        return new


def imported_anew(offered: Offered, *, is_checked: bool = True) -> Offered:
    """A package with the modules beside it that its contracts use, as their sources are now, or all as it was."""
    used = _used_by(offered)
    old = {name: sys.modules[name] for name in _modules(offered, used)}
    undo = retire(old)
    _forget(old)
    try:
        made = Offered(offered.package)
        for cls in made.classes:
            if is_checked:
                check(cls)
            program_of(cls)
    except BaseException as wrong:
        _forget(_modules(offered, used))
        sys.modules.update(old)
        undo()
        if isinstance(wrong, DeclarationError):
            raise NotOffered(str(wrong)) from wrong
        raise
    return made


def _used_by(offered: Offered) -> frozenset[str]:
    return frozenset(name for cls in offered.classes for name in modules_of(cls))


def _modules(offered: Offered, used: frozenset[str]) -> list[str]:
    """The modules of a package, and those beside it that its contracts use."""
    top = offered.package.partition(".")[0]
    return [
        name
        for name in sys.modules
        if (f"{name}.".startswith(f"{top}.") or name in used)
        and name.partition(".")[0] not in _KEPT
    ]


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
            found[path] = status.st_mtime_ns, status.st_size
    return found


def _files(modules: Iterable[str]) -> Iterator[Path]:
    for name in modules:
        module = sys.modules[name]
        if getattr(module, "__file__", None):
            yield Path(str(module.__file__))
        if "." not in name:
            for folder in getattr(module, "__path__", ()):
                yield from (each for each in Path(folder).rglob("*") if "__pycache__" not in each.parts)  # fmt: skip
