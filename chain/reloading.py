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

_OURS: Final = "chain"

Stamp = dict[Path, tuple[int, int]]


class Package:
    """The package whose contracts a chain offers, to be taken up again when it was edited."""

    def __init__(self, chain: Chain, offered: Offered) -> None:
        self._chain = chain
        self._take(offered)

    @property
    def is_edited(self) -> bool:
        """Whether a file of the package is another one than when it was last taken up, or tried to be."""
        return self._stamp_now() != self._stamp

    def reload(self) -> list[Program]:
        """Import the package as it is now and declare its contracts; those that are new. `NotOffered` says what is wrong."""
        machine, self._stamp = self._chain.machine, self._stamp_now()
        offered, made = self._imported_anew()
        new = [program for program in made if program.digest not in machine.programs]
        for program in made:
            machine.programs.pop(program.digest, None)  # the newest of a name stands last
            machine.declare(program)
            self._chain.declare(program.spec.cls)
        self._take(offered)
        return new

    def _take(self, offered: Offered) -> None:
        self.offered = offered
        self._used = {name for cls in offered.classes for name in modules_of(cls)}
        self._stamp = self._stamp_now()

    def _imported_anew(self) -> tuple[Offered, list[Program]]:
        old = {name: sys.modules[name] for name in self._modules()}
        undo = retire(old)
        self._forget(old)
        try:
            offered = Offered(self.offered.package)
            return offered, [self._checked(cls) for cls in offered.classes]
        except BaseException as wrong:
            self._forget(self._modules())
            sys.modules.update(old)
            undo()
            if isinstance(wrong, DeclarationError):
                raise NotOffered(str(wrong)) from wrong
            raise

    def _checked(self, cls: type) -> Program:
        if self._chain.machine.guards:
            check(cls)
        return program_of(cls)

    def _modules(self) -> list[str]:
        """The modules of the package, and those beside it that its contracts use."""
        top = self.offered.package.partition(".")[0]
        return [
            name
            for name in sys.modules
            if name.partition(".")[0] not in (_OURS, "__main__")
            and (f"{name}.".startswith(f"{top}.") or name in self._used)
        ]

    @staticmethod
    def _forget(modules: Iterable[str]) -> None:
        """Have Python read these modules from their sources, whatever it has compiled before."""
        for name in modules:
            module = sys.modules.pop(name, None)
            file = getattr(module, "__file__", None)
            if file:
                with suppress(OSError, NotImplementedError):
                    Path(cache_from_source(file)).unlink(missing_ok=True)
        invalidate_caches()
        linecache.checkcache()

    def _stamp_now(self) -> Stamp:
        """Of each file when it was last changed, and its size."""
        found: Stamp = {}
        for path in self._files():
            with suppress(OSError):
                status = path.stat()
                found[path] = status.st_mtime_ns, status.st_size
        return found

    def _files(self) -> Iterator[Path]:
        top = sys.modules.get(self.offered.package.partition(".")[0])
        for folder in getattr(top, "__path__", ()):
            for path in Path(folder).rglob("*"):
                if "__pycache__" not in path.parts and path.is_file():
                    yield path
        for name in self._modules():
            file = getattr(sys.modules[name], "__file__", None)
            if file:
                yield Path(file)
