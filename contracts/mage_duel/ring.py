"""The ring: the 32 edges around the board, and how chance lays its cities and roads.

Each of the four sides has eight entries, all mountain at first. Eight cards stand for them; one is
drawn for each city of that side and then one for each road. A draw is the slot it takes a card
from: the last card moves into the gap, so that the slots of the next draw are again without holes.
Whoever owns the chance asks `draw_sizes` how many slots each draw has, draws, and hands the slots
to `lay_ring`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chain.types import u8
from contracts.mage_duel.board import SIZE
from contracts.mage_duel.state import RuleSet
from contracts.mage_duel.tiles import Edge


def draw_sizes(rules: RuleSet) -> tuple[int, ...]:
    """How many slots there are at each of the draws that lay a ring, in their order."""
    one_side = range(SIZE, SIZE - rules.cities - rules.roads, -1)
    return tuple(one_side) * 4


def lay_ring(rules: RuleSet, slots: Sequence[int]) -> tuple[u8, ...]:
    """The ring that these draws make: on every side first its cities, then its roads."""
    kinds = [Edge.CITY] * rules.cities + [Edge.ROAD] * rules.roads
    ring: list[u8] = [Edge.MOUNTAIN] * (4 * SIZE)
    draws = iter(slots)
    for start in range(0, 4 * SIZE, SIZE):
        cards = list(range(start, start + SIZE))
        for kind in kinds:
            ring[_take(cards, next(draws))] = kind
    return tuple(ring)


def slots_of(ring: Sequence[u8]) -> tuple[int, ...]:
    """Draws that make this ring, for whoever wants to load them."""
    return tuple(_slots(ring))


def _slots(ring: Sequence[u8]) -> Iterator[int]:
    for start in range(0, 4 * SIZE, SIZE):
        cards = list(range(start, start + SIZE))
        for kind in (Edge.CITY, Edge.ROAD):
            for entry in range(start, start + SIZE):
                if ring[entry] == kind:
                    slot = cards.index(entry)
                    _take(cards, slot)
                    yield slot


def _take(cards: list[int], slot: int) -> int:
    """The card of that slot; the last one moves into its place."""
    card, cards[slot] = cards[slot], cards[-1]
    cards.pop()
    return card
