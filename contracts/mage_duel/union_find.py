"""The cities and roads of a board, as a union-find over its 256 nodes.

Every city or road edge on the board is a node; nodes that hang together form a component, and the
component's root carries what it is worth to either side and how many of its edges still wait for a
neighbour. All of it stands in flat arrays, one number per node, and nothing here asks more of them
than to get and to set: hand over plain lists, or arrays that stand in a chain's storage, of which a
move then touches a few words. Only nodes of placed tiles are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

from chain.types import u8, u16
from contracts.mage_duel.board import NODES
from contracts.mage_duel.state import PlayerSide
from contracts.mage_duel.tiles import EDGE_POINTS, Edge

NO_KIND: Final = 2  # the type of a node that is neither city nor road

T = TypeVar("T")


class NodeArray(Protocol[T]):
    """One thing about each node."""

    def __getitem__(self, node: int, /) -> T: ...
    def __setitem__(self, node: int, value: T, /) -> None: ...


class NodeList(Protocol):
    """Nodes in the order they were noted."""

    def __iter__(self) -> Iterator[u8]: ...
    def append(self, node: u8, /) -> None: ...


@dataclass(frozen=True, slots=True)
class Components:
    """The union-find: an array for each thing about a node, and what may be open to the end."""

    nodes_parents: NodeArray[u8]
    nodes_ranks: NodeArray[u8]
    nodes_blue_points: NodeArray[u16]
    nodes_red_points: NodeArray[u16]
    nodes_open_edges: NodeArray[u8]
    nodes_contested: NodeArray[bool]
    nodes_types: NodeArray[u8]
    potential_city_contests: NodeList
    potential_road_contests: NodeList

    def points_of(self, side: u8) -> NodeArray[u16]:
        return self.nodes_blue_points if side == PlayerSide.BLUE else self.nodes_red_points

    def potential_contests(self, kind: Edge) -> NodeList:
        return self.potential_city_contests if kind == Edge.CITY else self.potential_road_contests


@dataclass(frozen=True, slots=True)
class Contest:
    """Who gets a component, and what either side had in it before."""

    kind: Edge
    root: u8
    winner: PlayerSide | None
    blue_points: u16
    red_points: u16

    @property
    def prize(self) -> u16:
        """What passes from the loser to the winner; in a draw both keep theirs."""
        return 0 if self.winner is None else min(self.blue_points, self.red_points)


def no_components() -> Components:
    """The union-find of an empty board: every node its own parent."""
    return Components(
        nodes_parents=list(range(NODES)),
        nodes_ranks=[0] * NODES,
        nodes_blue_points=[0] * NODES,
        nodes_red_points=[0] * NODES,
        nodes_open_edges=[0] * NODES,
        nodes_contested=[False] * NODES,
        nodes_types=[NO_KIND] * NODES,
        potential_city_contests=[],
        potential_road_contests=[],
    )


def register(components: Components, node: int, kind: Edge, side: u8) -> None:
    """Begins a component of one edge."""
    components.nodes_parents[node] = node
    components.nodes_ranks[node] = 1
    components.points_of(side)[node] = EDGE_POINTS[kind]
    components.nodes_open_edges[node] = 1
    components.nodes_types[node] = kind


def gather(components: Components, nodes: Sequence[int], side: u8) -> None:
    """Makes one component of nodes that have just been registered; the first is its root."""
    root = nodes[0]
    for node in nodes[1:]:
        components.nodes_parents[node] = root
    components.nodes_ranks[root] = 2
    components.points_of(side)[root] *= len(nodes)
    components.nodes_open_edges[root] = len(nodes)


def find(components: Components, node: int) -> int:
    """The root of the component that this node is of."""
    parents = components.nodes_parents
    while (parent := parents[node]) != node:
        node = parent
    return node


def unite(components: Components, first: int, second: int) -> int:
    """Makes two components one and returns its root: the first's, if both rank alike."""
    root, other = find(components, first), find(components, second)
    if root == other:
        return root
    ranks = components.nodes_ranks
    if ranks[root] < ranks[other]:
        root, other = other, root
    elif ranks[root] == ranks[other]:
        ranks[root] += 1
    components.nodes_parents[other] = root
    for numbers in (
        components.nodes_blue_points,
        components.nodes_red_points,
        components.nodes_open_edges,
    ):
        if gained := numbers[other]:
            numbers[root] += gained
    return root


def link(components: Components, first: int, second: int) -> None:
    """Joins two edges that face each other, which closes both."""
    components.nodes_open_edges[unite(components, first, second)] -= 2


def contest(components: Components, root: int) -> Contest:
    """Gives a component to whoever has more in it."""
    blue, red = components.nodes_blue_points[root], components.nodes_red_points[root]
    components.nodes_contested[root] = True
    winner = None
    if blue != red:
        winner = PlayerSide.BLUE if blue > red else PlayerSide.RED
        components.points_of(winner)[root] = blue + red
        components.points_of(winner.opponent)[root] = 0
    return Contest(Edge(components.nodes_types[root]), root, winner, blue, red)
