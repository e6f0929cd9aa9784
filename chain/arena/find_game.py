"""The game that a target names, `contracts.blokus` or any other module, and the digest of its code."""

from __future__ import annotations

from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from chain.arena.game import Game
from chain.metering.digest import canonical_syntax
from chain.metering.program import program_of
from chain.simulator.catalogue import ContractNotFound, import_reported
from chain.source.syntax_trees import tree_of


def find_game(target: str) -> Game[object, object]:
    """Return the `Game` among the names of a module, or of the module `play` in a package."""
    return _found(target)[1]


def digest_of(target: str) -> str:
    """Return the digest of everything that determines a game's results: its contracts, its tables, its strategies.

    It covers the programs of its contracts and the syntax of all modules in the folder of the one that offers it.
    """
    module, game = _found(target)
    digest = sha256(b"".join(program_of(contract).digest for contract in game.contracts))
    home = Path(module.__file__ or "")
    for file in sorted(home.parent.glob("*.py")) if module.__package__ else [home]:
        syntax = canonical_syntax(tree_of(str(file), file.read_text("utf-8")))
        digest.update(f"{file.name} {syntax}".encode())
    return digest.hexdigest()[:32]


def _found(target: str) -> tuple[ModuleType, Game[object, object]]:
    module = import_reported(target)
    if not _games_in(module) and hasattr(module, "__path__") and find_spec(f"{target}.play"):
        module = import_reported(f"{target}.play")
    games = _games_in(module)
    if len(games) != 1:
        count = f"{len(games)} games" if games else "no game"
        raise ContractNotFound(f"{target} offers {count} to play: a package has one `Game`, in its play.py")  # fmt: skip
    return module, games[0]


def _games_in(module: ModuleType) -> list[Game[object, object]]:
    return [value for value in vars(module).values() if isinstance(value, Game)]
