"""What the tests of Mage Duel's contracts share: a World, and two players before a board that is always the same."""

from __future__ import annotations

from typing import Any

from chain import Address
from contracts.mage_duel.playouts import Duel
from contracts.mage_duel.ring import slots_of
from contracts.mage_duel.tiles import DECK

RING = (2, 0, 1, 2, 2, 2, 2, 2) * 4  # on top a city above column 6 and a road above column 5
CFFF = 6  # the first tile; laid in column 6 of row 0 it closes the city on top


class Table(Duel):
    """A duel, and words for its calls."""

    def __init__(self, world: Any, host: Address, guest: Address, tile: int = CFFF) -> None:
        deck = world.read_deck if False else DECK
        with world.chain.loaded(draw=[sum(deck[:tile])], edges=[*slots_of(RING)]):
            super().__init__(world, host, guest)
