"""Fixtures for games: a World of Mage Duel, two players with a fixed board, and games of Sagrada."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import pytest

from chain import Address, Chain
from chain.ledger.receipts import Receipt
from contracts.mage_duel import Game, PlayerSide, deploy
from contracts.mage_duel.playouts import Duel
from contracts.mage_duel.ring import slots_of
from contracts.mage_duel.state import Move
from contracts.mage_duel.tiles import DECK
from contracts.sagrada.playouts import ChainGame

RING: Final = (2, 0, 1, 2, 2, 2, 2, 2) * 4  # above column 6 is a city, above column 5 a road
CFFF: Final = 6


class Table(Duel):
    """A duel with short names for its calls. Its first tile is CFFF, which closes the city in column 6 of row 0."""

    def __init__(
        self, world: Any, host: Address, guest: Address, drawn: int = sum(DECK[:CFFF])
    ) -> None:
        with world.chain.loaded(draw=[drawn], edges=[*slots_of(RING)]):
            super().__init__(world, host, guest)

    def lay(self, side: PlayerSide, rotation: int = 0, col: int = 6, row: int = 0) -> Receipt:
        """Lays the top tile."""
        return self.make(Move(side, CFFF, rotation, col, row))

    def joker(self, side: PlayerSide, tile: int, rotation: int, col: int, row: int) -> Receipt:
        return self.make(Move(side, tile, rotation, col, row, is_joker=True))

    def skip(self, side: PlayerSide) -> Receipt:
        return self.make(Move(side))


@pytest.fixture
def table() -> type[Table]:
    """For duels in other worlds: `table(world, host, guest, drawn=0)`."""
    return Table


@pytest.fixture
def refuses() -> Callable[..., None]:
    """`refuses(entry, event, *args, sender=…)`: the answer is this event, and no word of storage changes."""

    def check(entry: Any, event: Any, *args: Any, sender: Address) -> None:
        receipt = entry(*args, sender=sender)
        assert receipt.events == [event]
        assert receipt.writes == []

    return check


@pytest.fixture
def world(chain: Chain) -> Any:
    return deploy(chain)


@pytest.fixture
def game(world: Any) -> Any:
    return world.system(Game)


@pytest.fixture
def duel(world: Any, alice: Any, bob: Any) -> Table:
    """Before the first move; alice is Blue."""
    return Table(world, alice, bob)


@pytest.fixture
def opened(duel: Table) -> Table:
    """After Blue's first move."""
    duel.lay(PlayerSide.BLUE)
    return duel


@pytest.fixture
def seated(chain: Chain) -> Callable[..., ChainGame]:
    """`seated(tools=(1, 2, 8), players=3)`: a game of Sagrada that has begun."""
    return partial(ChainGame, chain)
