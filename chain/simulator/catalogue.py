"""The contract classes that a package offers: to the command line by name, to a node's users by bytecode.

A class is offered if it is a public name of the package, or of a module or package directly below it. Its full name is
`contracts.deblockle:Deblockle`; `Deblockle` is enough if it is unique. Nothing else in the package is accessible.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType

from chain.errors import DeclarationError
from chain.metering.program import Program, program_of
from chain.runtime.contract import Contract
from chain.runtime.world import World
from chain.simulator.reader import ChainReader
from chain.source.failure_line import innermost_author_line
from chain.source.location import Source, relative_path
from chain.source.user_modules import add_folder


class ContractNotFound(LookupError):
    """There is no contract of that name, or no such package. The text lists the contracts that exist."""


class ContractCatalogue:
    """The contracts of one package. It imports only the requested modules, and the whole package only if it must."""

    def __init__(self, package: str) -> None:
        self.package = package

    @cached_property
    def by_full_name(self) -> dict[str, type[Contract]]:
        return dict(_contracts_in(self.package))

    @property
    def classes(self) -> list[type[Contract]]:
        """The contracts of the package, and `World`."""
        return [*self.by_full_name.values(), World]

    def find(self, name: str) -> type[Contract]:
        """Return the contract with the name `Class` or `module:Class`."""
        matches = _called(name, _contracts_in(self.package, name.rpartition(":")[2]))
        matches = matches or _called(name, self.by_full_name.items())
        if len(matches) == 1:
            return next(iter(matches.values()))
        if matches:
            raise ContractNotFound(
                f"{len(matches)} contracts are called {name}: write {' or '.join(matches)}"
            )
        names = ", ".join(cls.__name__ for cls in self.by_full_name.values()) or "none"
        module, dot, cls = name.replace(":", ".").rpartition(".")
        is_outside = dot and not f"{module}.".startswith(f"{self.package}.")
        hint = f"; for another package write {cls} --contracts {module}" if is_outside else ""
        raise ContractNotFound(f"{self.package} offers no contract '{name}'; it has {names}{hint}")

    def offer_to(self, chain: ChainReader) -> None:
        """Let a chain find the classes of its contracts here when it runs them, by the digests in their code."""
        artifacts, programs = chain.ledger.artifacts, chain.machine.programs
        find_deployed = programs.find_offered or (lambda digest: None)

        def find(digest: bytes) -> Program | None:
            artifact = artifacts.get(digest)
            if artifact is None:
                return None
            problem: ContractNotFound | None = None
            classes: list[type] = [World]
            try:
                classes += [cls for _, cls in _contracts_in(self.package, artifact.name)]
            except ContractNotFound as error:  # the deployed version goes on running
                problem = error
            offered = (program for program in map(program_of, classes) if program.digest == digest)
            found = next(offered, None) or find_deployed(digest)
            if found is None and problem is not None and digest not in programs.reasons:
                raise problem
            return found

        programs.find_offered = find


def _called(
    name: str, contracts: Iterable[tuple[str, type[Contract]]]
) -> dict[str, type[Contract]]:
    """Return the contracts with the name `Class` or `module:Class`, by their full names."""
    return {full: cls for full, cls in contracts if name in (full, cls.__name__)}


def _contracts_in(package: str, name: str = "") -> Iterator[tuple[str, type[Contract]]]:
    """Iterate over full names and classes: each class once, under the first module that has it.

    With `name`, modules that define no class of that name are left out, and not imported.
    """
    seen: set[type] = set()
    for module in _modules(package, name):
        for key in getattr(module, "__all__", [key for key in vars(module) if key[0] != "_"]):
            value = getattr(module, key, None)
            if not isinstance(value, type) or not issubclass(value, Contract) or value in seen:
                continue
            if f"{value.__module__}.".startswith(f"{package}."):
                seen.add(value)
                yield f"{module.__name__}:{value.__name__}", value


def _modules(package: str, name: str) -> Iterator[ModuleType]:
    """Iterate over the package and the public modules directly below it."""
    top = import_reported(package)
    yield top
    for module_info in pkgutil.iter_modules(getattr(top, "__path__", ())):
        if module_info.name.startswith(("_", "test_")):
            continue
        if name and not _defines(top.__path__, module_info.name, name):
            continue
        yield import_reported(f"{package}.{module_info.name}")


def _defines(folders: Iterable[str], module: str, name: str) -> bool:
    """Return True if a file of the module, or of the package, has a statement that defines a class of that name."""
    statement = re.compile(rf"^\s*class\s+{re.escape(name)}\b".encode(), re.MULTILINE)
    paths = [Path(folder) / module for folder in folders]
    files = [
        *(path.with_suffix(".py") for path in paths),
        *(f for p in paths for f in p.rglob("*.py")),
    ]
    return any(file.is_file() and statement.search(file.read_bytes()) for file in files)


def import_reported(name: str) -> ModuleType:
    """Import a module, also from the working directory. Raise `ContractNotFound` with a one-sentence reason on failure."""
    add_folder(Path.cwd())
    try:
        return import_module(name)
    except DeclarationError as error:  # its text names the location already
        raise ContractNotFound(str(error)) from error
    except SyntaxError as error:
        location = f"{relative_path(error.filename or name)}:{error.lineno}"
        raise ContractNotFound(f"{location}: this is not valid Python: {error.msg}") from error
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and f"{name}.".startswith(f"{error.name}."):
            raise ContractNotFound(
                f"there is no package '{name}' here: write a name as in an import, contracts.deblockle"
            ) from None
        line = innermost_author_line(error.__traceback__)
        location = f"{Source(*line)}: " if line else ""
        raise ContractNotFound(f"{location}{type(error).__name__}: {error}") from error
