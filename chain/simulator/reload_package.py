"""Reload of an edited package while a chain runs: its modules are imported again and their contracts declared.

The chain keeps its state, and deployed contracts keep their code: a class is identified by the digest of its source, and the
old class stays declared in addition to the new one. If the edited package cannot be imported, nothing changes.
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

from chain.errors import DeclarationError
from chain.foundation.turn import in_turn
from chain.metering.program import Program, program_of
from chain.simulator.catalogue import ContractCatalogue, ContractNotFound
from chain.simulator.chain import Chain
from chain.simulator.reader import run_guard
from chain.source.own_modules import files_below, is_own, modules_imported_by

Stamps = dict[Path, tuple[int, int]]


class Package:
    """The package whose contracts a chain offers. It can be reloaded after an edit."""

    def __init__(self, chain: Chain, offered: ContractCatalogue) -> None:
        self._chain, self.offered = chain, offered
        self._modules = _modules(offered)
        self._stamps = _stamps(self._modules)

    @property
    def is_edited(self) -> bool:
        """True if a file of the package has changed since the last reload, successful or not."""
        return _stamps(self._modules) != self._stamps

    def reload(self) -> list[Program]:
        """Import the package again, declare its contracts, and return those that are new.

        Raise `ContractNotFound` if the package cannot be imported.
        """
        machine = self._chain.machine
        self._stamps = before = _stamps(self._modules)
        self.offered = in_turn(import_again, self.offered, is_checked=machine.guards)
        self._modules = _modules(self.offered)
        after = _stamps(self._modules)
        # The stamps from before the import, so that an edit during the import is noticed.
        self._stamps = {path: before.get(path, stamp) for path, stamp in after.items()}
        programs = [program_of(cls) for cls in self.offered.classes]
        new = [program for program in programs if program.digest not in machine.programs]
        for program in programs:
            machine.programs.pop(program.digest, None)  # the newest program of a name comes last
            machine.declare(program)
            self._chain.declare(program.spec.cls)
        return new


def import_again(offered: ContractCatalogue, *, is_checked: bool = True) -> ContractCatalogue:
    """Import a package again, with the other modules of its author that it uses, and return its contracts.

    If that fails, restore all modules. `is_checked` is True if the guard checks the contracts.
    """
    old = {name: sys.modules[name] for name in _modules(offered)}
    _forget(old)
    try:
        catalogue = ContractCatalogue(offered.package)
        for cls in catalogue.classes:
            if is_checked:
                run_guard(cls)
            program_of(cls)
    except BaseException as error:
        _forget(_modules(offered))
        sys.modules.update(old)
        if isinstance(error, DeclarationError):
            raise ContractNotFound(str(error)) from error
        raise
    return catalogue


def _modules(offered: ContractCatalogue) -> list[str]:
    """Return the names of a package's modules, and of the other modules of its author that they import."""
    top = offered.package.partition(".")[0]
    inside = [name for name in sys.modules if f"{name}.".startswith(f"{top}.") and is_own(name)]
    return list(
        dict.fromkeys(name for each in inside for name in (each, *modules_imported_by(each)))
    )


def _forget(modules: Iterable[str]) -> None:
    """Make Python read these modules from their sources again, not from its caches."""
    for name in modules:
        file = getattr(sys.modules.pop(name, None), "__file__", None)
        if file:
            with suppress(OSError, NotImplementedError):
                Path(cache_from_source(file)).unlink(missing_ok=True)
    invalidate_caches()
    linecache.checkcache()


def _stamps(modules: Iterable[str]) -> Stamps:
    """Return time of change and size of every file of these modules, and of every file inside their packages."""
    stamps: Stamps = {}
    for path in _files(modules):
        with suppress(OSError):
            status = path.stat()
            if S_ISREG(status.st_mode):
                stamps[path] = status.st_mtime_ns, status.st_size
    return stamps


def _files(modules: Iterable[str]) -> Iterator[Path]:
    """Iterate over the files of these modules, and over all files inside their packages."""
    for name in modules:
        module = sys.modules.get(name)
        file = getattr(module, "__file__", None)
        if file:
            yield Path(file)
        if "." not in name:
            for folder in getattr(module, "__path__", ()):
                yield from files_below(Path(folder))
