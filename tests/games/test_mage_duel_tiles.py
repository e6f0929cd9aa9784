"""The tiles and the ring."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.mage_duel.ring import draw_sizes, lay_ring, slots_of
from contracts.mage_duel.rules import USUAL
from contracts.mage_duel.state import RuleSet
from contracts.mage_duel.tiles import DECK, EMPTY, TILES, Edge

C, R, M, F = Edge


def test_turning_brings_left_up() -> None:
    crossroads = TILES[20]
    assert crossroads.name == "CRFF"
    assert crossroads.faces[0].edges == (C, R, F, F)
    assert crossroads.faces[1].edges == (F, C, R, F)


def test_face_knows_its_cities_and_roads() -> None:
    cities, roads = TILES[20].faces[1].of_kind
    assert (cities, roads) == ((1,), (2,))


@pytest.mark.parametrize(
    ("name", "joins"),
    [("FRFR", True), ("CCRR", True), ("CRCR", False), ("FRRR", False), ("RRRR", False)],
)
def test_two_roads_meet_but_at_crossings(name: str, joins: bool) -> None:
    (tile,) = (tile for tile in TILES if tile.name == name)
    assert tile.joins_roads is joins


def test_usual_deck_has_64_tiles() -> None:
    assert len(DECK) == EMPTY == 24
    assert sum(DECK) == 64


def test_empty_is_all_mountain() -> None:
    assert TILES[EMPTY].faces[0].edges == (M, M, M, M)
    assert TILES[EMPTY].points == (0, 0)


def test_usual_ring_has_one_of_each() -> None:
    assert draw_sizes(USUAL) == (8, 7) * 4
    ring = lay_ring(USUAL, (0, 0, 7, 6, 3, 3, 2, 5))
    for start in range(0, 32, 8):
        assert Counter(ring[start : start + 8]) == {C: 1, R: 1, M: 6}


def test_last_card_fills_the_gap() -> None:
    ring = lay_ring(USUAL, (2, 2) * 4)
    assert ring[:8] == (M, M, C, M, M, M, M, R)


@given(st.integers(0, 4), st.integers(0, 4), st.data())
def test_ring_shows_its_draws(cities: int, roads: int, data: st.DataObject) -> None:
    rules = RuleSet(cities=cities, roads=roads)
    slots = [data.draw(st.integers(0, size - 1)) for size in draw_sizes(rules)]
    ring = lay_ring(rules, slots)
    assert Counter(ring) == Counter({C: 4 * cities, R: 4 * roads, M: 32 - 4 * (cities + roads)})
    assert lay_ring(rules, slots_of(ring)) == ring
