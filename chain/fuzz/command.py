"""`python -m chain.fuzz contracts.deblockle`: fuzz a game, print what was reached, and a test for what was found.

A target is a module. What is fuzzed are the descriptions in it or in its module `fuzz`; where there are none, all contracts
that it exports, and where these live in a World, the World that its `deploy(chain)` makes.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from chain.contract import Contract
from chain.fuzz.describe import Fuzz, NoHypothesis
from chain.system import System
from chain.world_handle import WorldHandle


class NoTarget(ValueError):
    """There is nothing to fuzz under the name that was given."""


def main(words: Sequence[str] | None = None) -> int:
    """0: nothing found; 1: found something; 2: could not start."""
    asked = _parser().parse_args(words)
    if str(Path.cwd()) not in sys.path:  # where a console script is not looked up
        sys.path.insert(0, str(Path.cwd()))
    try:
        return max([_run(each, asked) for each in descriptions(asked.target)])
    except (NoHypothesis, NoTarget) as wrong:
        print(wrong, file=sys.stderr)
        return 2


def descriptions(target: str) -> list[type[Fuzz]]:
    """What `module` or `module:Description` stands for."""
    name, _, wanted = target.partition(":")
    module = _imported(name)
    found = _of(module, Fuzz)
    if not found and hasattr(module, "__path__") and find_spec(f"{name}.fuzz") is not None:
        found = _of(import_module(f"{name}.fuzz"), Fuzz)
    if wanted:
        found = [each for each in found if each.__name__ == wanted]
        if not found:
            raise NoTarget(f"{name} has no description '{wanted}': a class derived from Fuzz")
    return found or [_of_contracts(module)]


def _run(description: type[Fuzz], asked: Namespace) -> int:
    # Only where Hypothesis is there can there be a Finding.
    try:
        report = description.run(asked.examples, asked.steps, asked.seed, not asked.no_lines)
    except AssertionError as found:
        print(getattr(found, "report", ""))
        print()
        print(found)
        if asked.write and hasattr(found, "test"):
            Path(asked.write).write_text(found.test, "utf-8")
        return 1
    print(report)
    return 0


def _parser() -> ArgumentParser:
    parser = ArgumentParser("boardchain fuzz", description="Fuzz the contracts of a module.")
    parser.add_argument("target", help="a module: contracts.deblockle; one description in it: module:Name")  # fmt: skip
    parser.add_argument("--examples", type=int, default=1000, help="plays (1000)")
    parser.add_argument("--steps", type=int, default=30, help="calls in a play, at most (30)")
    parser.add_argument("--seed", type=int, default=0, help="another number, other plays (0)")
    parser.add_argument(
        "--no-lines", action="store_true", help="do not trace lines: faster, blinder"
    )
    parser.add_argument("--write", metavar="FILE", help="where to write the test that fails")
    return parser


def _imported(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name is not None and f"{name}.".startswith(f"{missing.name}."):
            raise NoTarget(
                f"there is no module '{name}' here: name one as in an import, contracts.deblockle"
            ) from None
        raise


def _of(module: ModuleType, base: type) -> list[Any]:
    """The classes of that kind that a module has, apart from the base itself."""
    named = getattr(module, "__all__", vars(module))
    found = [getattr(module, name) for name in named]
    found = [each for each in found if isinstance(each, type) and issubclass(each, base)]
    ours = [each for each in found if not each.__module__.startswith("chain.")]
    return list(dict.fromkeys(ours))


def _of_contracts(module: ModuleType) -> type[Fuzz]:
    contracts = _of(module, Contract)
    if not contracts:
        raise NoTarget(
            f"{module.__name__} has no contract and no description of a fuzz run to go by"
        )
    if not any(issubclass(contract, System) for contract in contracts):
        return type("Fuzz", (Fuzz,), {"contracts": tuple(contracts), "__module__": Fuzz.__module__})
    deploy = getattr(module, "deploy", None)
    if deploy is None:
        raise NoTarget(
            f"{module.__name__} has systems of a World but no deploy(chain) that makes it:"
            f" describe how in {module.__name__}.fuzz"
        )
    return _of_world(module.__name__, deploy, contracts)


def _of_world(
    module: str, deploy: Callable[..., WorldHandle], systems: list[type[Contract]]
) -> type[Fuzz]:
    class WorldFuzz(Fuzz):
        of_module = module

        def set_up(self) -> None:
            world = deploy(self.chain)
            for system in systems:
                self.add(world.system(system))

    return WorldFuzz
