"""The board: where its cells and edges are, and what fits where."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from contracts.mage_duel.board import (
    BOTTOM,
    CELLS,
    LEFT,
    NEIGHBOURS,
    RIGHT,
    RIM,
    TOP,
    Layout,
    cell_at,
    facing_edges,
    fits,
    opposite,
    places_in_reach,
)
from contracts.mage_duel.state import EMPTY_CELL, Cell, Move, PlayerSide
from contracts.mage_duel.tiles import TILES, Edge

NAMES = [tile.name for tile in TILES]
MOUNTAINS = [Edge.MOUNTAIN] * 32


def tile(name: str) -> int:
    return NAMES.index(name)


def ground(*laid: tuple[int, int, str], ring: list[Edge] = MOUNTAINS) -> Layout:
    """Tiles by column, row and name, none of them turned."""
    cells: list[Cell] = [EMPTY_CELL] * CELLS
    for col, row, name in laid:
        cells[cell_at(col, row)] = (tile(name), 0, 0)
    return Layout(cells, ring)


def move(name: str, col: int, row: int, rotation: int = 0) -> Move:
    return Move(PlayerSide.BLUE, tile(name), rotation, col, row)


def test_cells_count_down_the_columns() -> None:
    assert cell_at(0, 7) == 7
    assert cell_at(1, 0) == 8
    assert NEIGHBOURS[cell_at(3, 4)] == (27, 36, 29, 20)


def test_neighbours_are_mutual() -> None:
    for cell in range(CELLS):
        for edge, neighbour in enumerate(NEIGHBOURS[cell]):
            if neighbour is not None:
                assert NEIGHBOURS[neighbour][opposite(edge)] == cell


@pytest.mark.parametrize(
    ("col", "row", "rim"),
    [
        (0, 7, ((BOTTOM, 0), (LEFT, 31))),
        (7, 7, ((RIGHT, 8), (BOTTOM, 7))),
        (7, 0, ((TOP, 16), (RIGHT, 15))),
        (0, 0, ((TOP, 23), (LEFT, 24))),
        (3, 7, ((BOTTOM, 3),)),
        (3, 3, ()),
    ],
)
def test_ring_runs_counter_clockwise(col: int, row: int, rim: tuple[tuple[int, int], ...]) -> None:
    assert RIM[cell_at(col, row)] == rim


def test_every_entry_touches_one_edge() -> None:
    assert sorted(entry for rim in RIM for _, entry in rim) == list(range(32))


def test_facing_edges_are_the_neighbours() -> None:
    ring = [*MOUNTAINS[:31], Edge.ROAD]
    around = facing_edges(ground((0, 6, "CFCF"), (1, 7, "FFFR"), ring=ring), cell_at(0, 7))
    assert around == [Edge.CITY, Edge.ROAD, Edge.MOUNTAIN, Edge.ROAD]


def test_tile_touches_its_like() -> None:
    assert fits(ground((3, 3, "CCCC")), move("CCCC", 3, 4))
    assert fits(ground((3, 3, "FFFF")), move("FFFF", 4, 3))


def test_tile_avoids_other_kinds() -> None:
    around = ground((3, 3, "CCCC"), (4, 4, "RRRR"))
    assert not fits(around, move("CCCC", 3, 4))
    assert not fits(around, move("CFFF", 3, 4))
    assert fits(around, move("CCCR", 3, 4, rotation=2))


def test_tile_alone_does_not_fit() -> None:
    assert not fits(ground(), move("CCCC", 3, 3))
    assert not fits(ground(), move("CCCC", 0, 0))


def test_ring_alone_is_contact() -> None:
    ring = [Edge.CITY, *MOUNTAINS[1:]]
    assert fits(ground(ring=ring), move("CFFF", 0, 7, rotation=2))
    assert not fits(ground(ring=ring), move("CFFF", 0, 7))


def test_taken_cell_is_taken() -> None:
    assert not fits(ground((3, 3, "CCCC"), (3, 4, "CCCC")), move("CCCC", 3, 4))


@pytest.mark.parametrize(
    "wrong",
    [{"col": 8}, {"row": 8}, {"rotation": 4}, {"tile": 24}, {"tile": 25}, {"tile": None}],
)
def test_out_of_bounds_never_fits(wrong: dict[str, Any]) -> None:
    everywhere = ground((0, 6, "CCCC"), (7, 6, "CCCC"), (1, 1, "CCCC"))
    right = move("CCCC", 0, 7)
    assert fits(everywhere, right)
    assert not fits(everywhere, replace(right, **wrong))


def test_reach_is_beside_tiles_and_ring() -> None:
    ring = [Edge.CITY, *MOUNTAINS[1:]]
    reached = [cell for cell, _ in places_in_reach(ground((3, 3, "CCCC"), ring=ring))]
    assert reached == [cell_at(0, 7), cell_at(2, 3), cell_at(3, 2), cell_at(3, 4), cell_at(4, 3)]
