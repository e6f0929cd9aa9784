"""What a name stands for that is to be fuzzed: `contracts.deblockle`, or one description there, `contracts.blokus:BlokusFuzz`.

Fuzzed are the descriptions in a module or in its module `fuzz`; where there are none, all contracts among its public names,
and where these live in a World, the World that its `deploy(chain)` makes.
"""

from __future__ import annotations

from importlib.util import find_spec
from types import ModuleType
from typing import Any

from chain.fuzz.fuzz_case import Fuzz
from chain.runtime.contract import Contract
from chain.runtime.system import System
from chain.simulator.catalogue import (
    ContractCatalogue,
    ContractNotFound,
    import_reported,
)


def descriptions(target: str) -> list[type[Fuzz]]:
    """What `module` or `module:Description` stands for; raises `NotOffered` where there is nothing."""
    name, _, wanted = target.partition(":")
    module = import_reported(name)
    found = _described_in(module)
    if not found and hasattr(module, "__path__") and find_spec(f"{name}.fuzz") is not None:
        found = _described_in(import_reported(f"{name}.fuzz"))
    if not wanted:
        return found or [_undescribed(module)]
    found = [each for each in found if each.__name__ == wanted]
    if not found:
        raise ContractNotFound(f"{name} has no description '{wanted}': a class derived from Fuzz")
    return found


def _described_in(module: ModuleType) -> list[type[Fuzz]]:
    found = [each for each in vars(module).values() if isinstance(each, type) and each is not Fuzz]
    return [each for each in dict.fromkeys(found) if issubclass(each, Fuzz)]


def _undescribed(module: ModuleType) -> type[Fuzz]:
    name = module.__name__
    offered = ContractCatalogue(name).by_full_name
    contracts = tuple(cls for full, cls in offered.items() if full.startswith(f"{name}:"))
    if not contracts:
        below = ", ".join(dict.fromkeys(full.partition(":")[0] for full in offered))
        more = f": name a module in it that has, {below}" if below else ""
        raise ContractNotFound(
            f"{name} has no contract and no description of a fuzz run to go by{more}"
        )
    if not any(issubclass(contract, System) for contract in contracts):
        return type("Fuzz", (Fuzz,), {"contracts": contracts, "__module__": Fuzz.__module__})
    if not hasattr(module, "deploy"):
        raise ContractNotFound(
            f"{name} has systems of a World but no deploy(chain) that makes it: describe how in {name}.fuzz"
        )
    return _of_world(module, contracts)


def _of_world(module: Any, systems: tuple[type[Contract], ...]) -> type[Fuzz]:
    class WorldFuzz(Fuzz):
        of_module = module.__name__

        def set_up(self) -> None:
            self.include(*map(module.deploy(self.chain).system, systems))

    return WorldFuzz
