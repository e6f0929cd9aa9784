"""The descriptions that a target names: `contracts.deblockle`, or one description in it, `contracts.blokus:BlokusFuzz`.

A target has the descriptions of a module or of its module `fuzz`. If there are none, all contracts among its public names are
fuzzed. If these belong to a World, the World that the `deploy(chain)` of the module creates is fuzzed.
"""

from __future__ import annotations

from importlib.util import find_spec
from types import ModuleType

from chain.fuzz.fuzz_case import Fuzz
from chain.runtime.contract import Contract
from chain.runtime.system import System
from chain.simulator.catalogue import ContractCatalogue, ContractNotFound, import_reported


def descriptions(target: str) -> list[type[Fuzz]]:
    """Return the descriptions of `module` or `module:Description`. Raise `ContractNotFound` if there are none."""
    name, _, wanted = target.partition(":")
    module = import_reported(name)
    classes = _described_in(module)
    if not classes and hasattr(module, "__path__") and find_spec(f"{name}.fuzz") is not None:
        classes = _described_in(import_reported(f"{name}.fuzz"))
    if not wanted:
        return classes or [_undescribed(module)]
    classes = [cls for cls in classes if cls.__name__ == wanted]
    if not classes:
        raise ContractNotFound(f"{name} has no description '{wanted}': a class derived from Fuzz")
    return classes


def _described_in(module: ModuleType) -> list[type[Fuzz]]:
    classes = [cls for cls in vars(module).values() if isinstance(cls, type) and cls is not Fuzz]
    return [cls for cls in dict.fromkeys(classes) if issubclass(cls, Fuzz)]


def _undescribed(module: ModuleType) -> type[Fuzz]:
    """Return a description of the contracts of a module that has none."""
    name = module.__name__
    offered = ContractCatalogue(name).by_full_name
    contracts = tuple(cls for full, cls in offered.items() if full.startswith(f"{name}:"))
    if not contracts:
        below = ", ".join(dict.fromkeys(full.partition(":")[0] for full in offered))
        more = f": name a module in it that has one, {below}" if below else ""
        raise ContractNotFound(
            f"{name} has neither a contract nor a description of a fuzz run{more}"
        )
    if not any(issubclass(contract, System) for contract in contracts):
        return type("Fuzz", (Fuzz,), {"contracts": contracts, "__module__": Fuzz.__module__})
    if not hasattr(module, "deploy"):
        raise ContractNotFound(
            f"{name} has systems of a World but no deploy(chain) that creates it: deploy it in a description in {name}.fuzz"
        )
    return _of_world(module, contracts)


def _of_world(module: ModuleType, systems: tuple[type[Contract], ...]) -> type[Fuzz]:
    class WorldFuzz(Fuzz):
        of_module = module.__name__

        def set_up(self) -> None:
            self.include(*map(module.deploy(self.chain).system, systems))

    return WorldFuzz
