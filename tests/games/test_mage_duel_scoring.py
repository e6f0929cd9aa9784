"""Scoring, on boards small enough to count by hand."""

from __future__ import annotations

from contracts.mage_duel.board import CELLS, Layout, cell_at
from contracts.mage_duel.scoring import add_points, contest_rest, immediate_points, join_in, settle
from contracts.mage_duel.snapshots import rebuild
from contracts.mage_duel.state import EMPTY_CELL, Cell, PlayerSide
from contracts.mage_duel.tiles import TILES, Edge
from contracts.mage_duel.union_find import Components, Contest, no_components

BLUE, RED = PlayerSide
NAMES = [tile.name for tile in TILES]
MOUNTAINS = [Edge.MOUNTAIN] * 32

Laid = tuple[int, int, str, int, PlayerSide]  # column, row, tile, rotation, side


def lay(*tiles: Laid, ring: list[Edge] = MOUNTAINS) -> tuple[Components, list[Contest], Layout]:
    """Tiles one after the other, and the contests of the last one."""
    cells: list[Cell] = [EMPTY_CELL] * CELLS
    layout, components, held = Layout(cells, ring), no_components(), list[Contest]()
    for col, row, name, rotation, side in tiles:
        content = (NAMES.index(name), rotation, int(side))
        held = join_in(components, layout, cell_at(col, row), content)
        cells[cell_at(col, row)] = content
    return components, held, layout


def test_ring_pays_its_like_again() -> None:
    ring = [Edge.CITY, *MOUNTAINS[1:24], *[Edge.ROAD] * 8]
    corner = (NAMES.index("CCRR"), 1, 0)  # road, city, city, road
    assert immediate_points(ring, cell_at(0, 7), corner) == (4 + 2, 2 + 1)
    assert immediate_points(ring, cell_at(3, 3), corner) == (4, 2)


def test_mountain_rim_closes_without_pay() -> None:
    _, (held,), _ = lay((0, 3, "CFFF", 3, RED))
    assert (held.kind, held.winner, held.red_points) == (Edge.CITY, RED, 2)


def test_neighbours_close_a_road() -> None:
    _, (held,), _ = lay((3, 3, "FFFR", 2, BLUE), (4, 3, "FFFR", 0, RED))
    assert (held.kind, held.winner) == (Edge.ROAD, None)
    assert (held.blue_points, held.red_points) == (1, 1)


def test_crossing_parts_its_roads() -> None:
    around = (3, 2, "FFFR", 3, RED), (3, 4, "FFFR", 1, RED)
    _, held, _ = lay(*around, (3, 3, "CRCR", 1, BLUE))
    assert [(contest.kind, contest.winner) for contest in held] == [(Edge.ROAD, None)] * 2


def test_crossing_closes_a_loop_once() -> None:
    loop = (3, 4, "FFRR", 2, RED), (4, 4, "FFRR", 1, RED), (4, 3, "FFRR", 0, RED)
    _, held, _ = lay(*loop, (3, 3, "RRRR", 0, BLUE))
    assert [(contest.blue_points, contest.red_points) for contest in held] == [(2, 6)]


def test_open_component_is_noted_once() -> None:
    components, held, _ = lay((3, 3, "CFCF", 0, BLUE), (3, 4, "CFCF", 0, RED))
    root = cell_at(3, 3) * 4
    assert (held, list(components.potential_city_contests)) == ([], [root])
    assert list(components.potential_road_contests) == []


def test_rest_is_contested_cities_first() -> None:
    components, _, _ = lay((3, 3, "FRFR", 0, BLUE), (5, 5, "CFCF", 0, RED))
    kinds = [contest.kind for contest in contest_rest(components)]
    assert kinds == [Edge.CITY, Edge.ROAD]
    assert contest_rest(components) == []


def test_loser_pays_the_winner() -> None:
    city = Contest(Edge.CITY, 0, BLUE, blue_points=6, red_points=4)
    road = Contest(Edge.ROAD, 1, RED, blue_points=1, red_points=3)
    draw = Contest(Edge.ROAD, 2, None, blue_points=2, red_points=2)
    assert settle(((10, 5), (9, 7)), (city, road, draw)) == ((14, 4), (5, 8))


def test_points_go_to_their_side() -> None:
    assert add_points(((1, 2), (3, 4)), BLUE, (10, 20)) == ((11, 22), (3, 4))
    assert add_points(((1, 2), (3, 4)), RED, (10, 20)) == ((1, 2), (13, 24))


def test_rebuilding_holds_the_contests_again() -> None:
    _, _, layout = lay((3, 3, "CRFR", 2, BLUE), (3, 4, "CRFR", 0, BLUE), (3, 5, "CCFF", 0, RED))
    rebuilt = rebuild(layout)
    (held,) = rebuilt.contests
    assert (held.kind, held.winner, held.blue_points) == (Edge.CITY, BLUE, 4)
    assert rebuilt.scores == ((4, 4), (4, 0))
