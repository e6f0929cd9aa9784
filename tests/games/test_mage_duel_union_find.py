"""Components: how they join, close and are won."""

from __future__ import annotations

import pytest

from contracts.mage_duel.state import PlayerSide
from contracts.mage_duel.tiles import Edge
from contracts.mage_duel.union_find import (
    NO_KIND,
    Components,
    Contest,
    contest,
    find,
    gather,
    link,
    no_components,
    register,
    unite,
)

BLUE, RED = PlayerSide


def components(*sides: PlayerSide, kind: Edge = Edge.CITY) -> Components:
    """Nodes 0, 1, 2 … of these sides, each alone."""
    fresh = no_components()
    for node, side in enumerate(sides):
        register(fresh, node, kind, side)
    return fresh


def test_every_node_begins_alone() -> None:
    fresh = no_components()
    assert [find(fresh, node) for node in range(256)] == list(range(256))
    assert {fresh.nodes_types[node] for node in range(256)} == {NO_KIND}


@pytest.mark.parametrize(("kind", "points"), [(Edge.CITY, 2), (Edge.ROAD, 1)])
def test_node_is_worth_its_kind(kind: Edge, points: int) -> None:
    one = components(RED, kind=kind)
    assert (one.nodes_blue_points[0], one.nodes_red_points[0]) == (0, points)
    assert (one.nodes_ranks[0], one.nodes_open_edges[0]) == (1, 1)


def test_first_root_wins_a_tie() -> None:
    two = components(BLUE, RED)
    assert unite(two, 1, 0) == find(two, 0) == 1
    assert two.nodes_ranks[1] == 2


def test_higher_rank_stays_root() -> None:
    three = components(BLUE, BLUE, BLUE)
    unite(three, 0, 1)
    assert unite(three, 2, 1) == find(three, 2) == 0
    assert three.nodes_ranks[0] == 2


def test_root_gathers_points_and_edges() -> None:
    three = components(BLUE, RED, RED)
    root = unite(three, unite(three, 0, 1), 2)
    assert (three.nodes_blue_points[root], three.nodes_red_points[root]) == (2, 4)
    assert three.nodes_open_edges[root] == 3


def test_uniting_twice_changes_nothing() -> None:
    two = components(BLUE, RED)
    unite(two, 0, 1)
    unite(two, 1, 0)
    assert (two.nodes_open_edges[0], two.nodes_ranks[0]) == (2, 2)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_gathering_is_uniting_with_the_first(count: int) -> None:
    gathered, united = components(*[RED] * count), components(*[RED] * count)
    gather(gathered, range(count), RED)
    for node in range(1, count):
        unite(united, 0, node)
    assert gathered == united


def test_link_closes_both_edges() -> None:
    four = components(BLUE, BLUE, RED, RED)
    unite(four, 0, 1)
    unite(four, 2, 3)
    link(four, 1, 2)
    assert four.nodes_open_edges[find(four, 0)] == 2
    link(four, 0, 3)
    assert four.nodes_open_edges[find(four, 0)] == 0


def test_more_points_win_all() -> None:
    three = components(RED, BLUE, RED)
    root = unite(three, unite(three, 0, 1), 2)
    held = contest(three, root)
    assert held == Contest(Edge.CITY, root, RED, blue_points=2, red_points=4)
    assert held.prize == 2
    assert (three.nodes_blue_points[root], three.nodes_red_points[root]) == (0, 6)


def test_draw_leaves_both_theirs() -> None:
    two = components(BLUE, RED, kind=Edge.ROAD)
    root = unite(two, 0, 1)
    held = contest(two, root)
    assert (held.winner, held.prize) == (None, 0)
    assert (two.nodes_blue_points[root], two.nodes_red_points[root]) == (1, 1)
    assert two.nodes_contested[root]
