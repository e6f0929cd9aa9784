"""The contract classes that a package offers: to the command line by name, to a node's users by bytecode.

A class is offered if it is a public name of the package, or of a module or package directly below it. Its full name is
`contracts.deblockle:Deblockle`; `Deblockle` is enough if it is unique. Nothing else in the package is accessible.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

from chain.errors import DeclarationError
from chain.runtime.contract import Contract
from chain.runtime.world import World
from chain.source.location import Source, innermost_author_line, relative_path
from chain.source.user_modules import find_module


class ContractNotFound(LookupError):
    """There is no contract of that name, or no such package. The text lists the contracts that exist."""


class ContractCatalogue:
    """The contracts of one package."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.by_full_name = dict(_contracts_in(package))

    @property
    def classes(self) -> list[type[Contract]]:
        """The contracts of the package, and `World`."""
        return [*self.by_full_name.values(), World]

    def find(self, name: str) -> type[Contract]:
        """Return the contract with the name `Class` or `module:Class`."""
        classes = self.by_full_name
        matches = [cls for full, cls in classes.items() if name in (full, cls.__name__)]
        if len(matches) == 1:
            return matches[0]
        if matches:
            full_names = [full for full, cls in classes.items() if cls.__name__ == name]
            raise ContractNotFound(
                f"{len(matches)} contracts are called {name}: write {' or '.join(full_names)}"
            )
        names = ", ".join(cls.__name__ for cls in classes.values()) or "none"
        raise ContractNotFound(f"{self.package} offers no contract '{name}'; it has {names}")


def _contracts_in(package: str) -> Iterator[tuple[str, type[Contract]]]:
    """Iterate over full names and classes: each class once, under the first module that has it."""
    seen: set[type] = set()
    for module in _modules(package):
        for name in getattr(module, "__all__", [key for key in vars(module) if key[0] != "_"]):
            value = getattr(module, name, None)
            if not isinstance(value, type) or not issubclass(value, Contract) or value in seen:
                continue
            if f"{value.__module__}.".startswith(f"{package}."):
                seen.add(value)
                yield f"{module.__name__}:{value.__name__}", value


def _modules(package: str) -> Iterator[ModuleType]:
    """Iterate over the package and the public modules directly below it."""
    top = import_reported(package)
    yield top
    for module_info in pkgutil.iter_modules(getattr(top, "__path__", ())):
        if not module_info.name.startswith(("_", "test_")):
            yield import_reported(f"{package}.{module_info.name}")


def import_reported(name: str) -> ModuleType:
    """Import a module, also from the working directory. Raise `ContractNotFound` with a one-sentence reason on failure."""
    find_module(name)
    try:
        return import_module(name)
    except DeclarationError as error:  # its text names the location already
        raise ContractNotFound(str(error)) from error
    except SyntaxError as error:
        location = f"{relative_path(error.filename or name)}:{error.lineno}"
        raise ContractNotFound(f"{location}: this is not Python: {error.msg}") from error
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and f"{name}.".startswith(f"{error.name}."):
            raise ContractNotFound(
                f"there is no package '{name}' here: name one as in an import, contracts.deblockle"
            ) from None
        line = innermost_author_line(error.__traceback__)
        location = f"{Source(*line)}: " if line else ""
        raise ContractNotFound(f"{location}{type(error).__name__}: {error}") from error
