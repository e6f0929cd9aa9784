"""The contract classes that a package offers: to the command line by name, to a node's users by bytecode.

A class is offered when the package, or a module or package right below it, has it among its public names. Its full name is
`contracts.deblockle:Deblockle`; `Deblockle` will do where only one is called so. Nothing else of a package can be reached.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

from chain.errors import DeclarationError
from chain.runtime.contract import Contract
from chain.runtime.world import World
from chain.source.location import (
    Source,
    innermost_author_line,
    relative_path,
)
from chain.source.user_modules import look_for


class ContractNotFound(LookupError):
    """No contract of that name, or no such package; the text says which there are."""


class ContractCatalogue:
    """The contracts of one package."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.by_full_name = dict(_found_in(package))

    @property
    def classes(self) -> list[type[Contract]]:
        """The contracts, and what worlds are made of."""
        return [*self.by_full_name.values(), World]

    def find(self, name: str) -> type[Contract]:
        """The contract called `Class` or `package:Class`."""
        known = self.by_full_name
        found = [cls for full, cls in known.items() if name in (full, cls.__name__)]
        if len(found) == 1:
            return found[0]
        if found:
            ways = [full for full, cls in known.items() if cls.__name__ == name]
            raise ContractNotFound(
                f"{len(found)} contracts are called {name}: write {' or '.join(ways)}"
            )
        names = ", ".join(cls.__name__ for cls in known.values()) or "none"
        raise ContractNotFound(f"{self.package} offers no contract '{name}'; it has {names}")


def _found_in(package: str) -> Iterator[tuple[str, type[Contract]]]:
    """Each class once, under the first module that has it."""
    seen: set[type] = set()
    for module in _modules(package):
        for name in getattr(module, "__all__", [n for n in vars(module) if n[0] != "_"]):
            thing = getattr(module, name, None)
            if not isinstance(thing, type) or not issubclass(thing, Contract) or thing in seen:
                continue
            if f"{thing.__module__}.".startswith(f"{package}."):
                seen.add(thing)
                yield f"{module.__name__}:{thing.__name__}", thing


def _modules(package: str) -> Iterator[ModuleType]:
    top = import_reported(package)
    yield top
    for found in pkgutil.iter_modules(getattr(top, "__path__", ())):
        if not found.name.startswith(("_", "test_")):
            yield import_reported(f"{package}.{found.name}")


def import_reported(name: str) -> ModuleType:
    """A module by its name, looked for in the working directory too; what is wrong with it is said in a sentence."""
    look_for(name)
    try:
        return import_module(name)
    except DeclarationError as wrong:  # it names its own place
        raise ContractNotFound(str(wrong)) from wrong
    except SyntaxError as wrong:
        place = f"{relative_path(wrong.filename or name)}:{wrong.lineno}"
        raise ContractNotFound(f"{place}: this is not Python: {wrong.msg}") from wrong
    except Exception as wrong:
        if isinstance(wrong, ModuleNotFoundError) and f"{name}.".startswith(f"{wrong.name}."):
            raise ContractNotFound(
                f"there is no package '{name}' here: name one as in an import, contracts.deblockle"
            ) from None
        at = innermost_author_line(wrong.__traceback__)
        place = f"{Source(*at)}: " if at else ""
        raise ContractNotFound(f"{place}{type(wrong).__name__}: {wrong}") from wrong
