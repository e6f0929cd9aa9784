"""What a placed tile is worth, which cities and roads it joins, and who wins those it closes.

A tile pays at once for its own edges, and again for each that meets its like in the ring. Its edges
then become nodes: joined with each other where the tile joins them, and with their like next door.
A component with no open edge left is contested on the spot; one that is still open when the game
ends is contested then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from chain.types import u8
from contracts.mage_duel.board import ACROSS, RIM, Ground, edge_of
from contracts.mage_duel.state import Cell, PlayerSide, Score, Scores
from contracts.mage_duel.tiles import EDGE_POINTS, TILES, Edge
from contracts.mage_duel.union_find import (
    Components,
    Contest,
    contest,
    find,
    gather,
    link,
    register,
)

CITIES_FIRST: Final = (Edge.CITY, Edge.ROAD)
ROADS_FIRST: Final = (Edge.ROAD, Edge.CITY)


def immediate_points(ring: Sequence[u8], cell: int, content: Cell) -> Score:
    """What placing this tile pays at once."""
    points = list(TILES[content[0]].points)
    for edge, entry in RIM[cell]:
        kind = edge_of(content, edge)
        if ring[entry] == kind:
            points[kind] += EDGE_POINTS[kind]
    return points[Edge.CITY], points[Edge.ROAD]


def join_in(
    components: Components,
    ground: Ground,
    cell: int,
    content: Cell,
    kinds: Sequence[Edge] = CITIES_FIRST,
) -> list[Contest]:
    """Adds a tile to the cities and roads of a ground that does not hold it yet."""
    return [held for kind in kinds for held in join_kind(components, ground, cell, content, kind)]


def join_kind(
    components: Components, ground: Ground, cell: int, content: Cell, kind: Edge
) -> list[Contest]:
    """Adds the cities of a tile, or its roads."""
    nodes = add_nodes(components, cell, content, kind)
    if not nodes:
        return []
    connected = connect(components, ground, cell, content, kind)
    contests = contest_closed(components, connected)
    if len(nodes) > len(connected):
        note_open(components, nodes, kind)
    return contests


def add_nodes(components: Components, cell: int, content: Cell, kind: Edge) -> list[int]:
    """Begins a node at each edge of this kind, and joins those that meet inside the tile."""
    tile, rotation, side = content
    nodes = [cell * 4 + edge for edge in TILES[tile].faces[rotation].of_kind[kind]]
    for node in nodes:
        register(components, node, kind, side)
    if len(nodes) > 1 and (kind == Edge.CITY or TILES[tile].joins_roads):
        gather(components, nodes, side)
    return nodes


def connect(
    components: Components, ground: Ground, cell: int, content: Cell, kind: Edge
) -> list[int]:
    """Joins a tile's nodes with what lies beyond; returns those that are no longer open."""
    tile, rotation, side = content
    return [
        cell * 4 + edge
        for edge in TILES[tile].faces[rotation].connecting[kind]
        if connect_edge(components, ground, cell, edge, kind, side)
    ]


def connect_edge(
    components: Components, ground: Ground, cell: int, edge: int, kind: Edge, side: u8
) -> bool:
    """Joins an edge with the rim or with its like next door, if one of them is there."""
    node = cell * 4 + edge
    neighbour, there = ACROSS[cell][edge]
    if neighbour is None:
        root = find(components, node)
        components.nodes_open_edges[root] -= 1
        if ground.ring[there] == kind:
            components.points_of(side)[root] += EDGE_POINTS[kind]
        return True
    if edge_of(ground.cells[neighbour], there) != kind:
        return False
    link(components, neighbour * 4 + there, node)
    return True


def contest_closed(components: Components, nodes: Iterable[int]) -> list[Contest]:
    """The contests of the components of these nodes that have just closed, each held once."""
    contests = []
    for node in nodes:
        root = find(components, node)
        if components.nodes_open_edges[root] == 0 and not components.nodes_contested[root]:
            contests.append(contest(components, root))
    return contests


def note_open(components: Components, nodes: Iterable[int], kind: Edge) -> None:
    """Remembers for the end of the game the components that begin with these nodes.

    Those that a tile continues were remembered when they began.
    """
    potential_contests = components.potential_contests(kind)
    for node in nodes:
        if components.nodes_parents[node] == node:
            potential_contests.append(node)


def contest_rest(components: Components) -> list[Contest]:
    """The contests of all that is still open at the end."""
    contests = []
    for kind in CITIES_FIRST:
        for node in components.potential_contests(kind):
            root = find(components, node)
            if not components.nodes_contested[root]:
                contests.append(contest(components, root))
    return contests


def add_points(scores: Scores, side: u8, points: Score) -> Scores:
    """The scores after this side has gained so much."""
    blue, red = scores
    if side == PlayerSide.BLUE:
        return (blue[0] + points[0], blue[1] + points[1]), red
    return blue, (red[0] + points[0], red[1] + points[1])


def settle(scores: Scores, contests: Iterable[Contest]) -> Scores:
    """The scores after each loser has paid its winner."""
    for held in contests:
        if held.prize and held.winner is not None:
            gain = (held.prize, 0) if held.kind == Edge.CITY else (0, held.prize)
            loss = (-gain[0], -gain[1])
            scores = add_points(scores, held.winner, gain)
            scores = add_points(scores, held.winner.opponent, loss)
    return scores
