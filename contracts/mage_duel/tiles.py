"""The twenty-four tiles of Mage Duel, and Empty, which lies wherever no tile does.

A tile is named by its edges, clockwise from the top: `CRFF` has a city above, a road to the right
and fields below and to the left. One step of rotation turns it a quarter clockwise, so that the
left edge comes to the top. A tile's code is its place in `TILES`; boards, moves and decks hold
codes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final


class Edge(IntEnum):
    """What an edge of a tile, or an entry of the board's ring, shows."""

    CITY = 0
    ROAD = 1
    MOUNTAIN = 2
    FIELD = 3


LETTERS: Final = "CRMF"  # of the edges, by code
EDGE_POINTS: Final = (2, 1)  # what an edge is worth: a city's, a road's
CONNECTING_ORDER: Final = (2, 0, 3, 1)  # of edges that join others: bottom, top, left, right


@dataclass(frozen=True, slots=True)
class Face:
    """A tile as it lies: its edges from the top clockwise, and where its cities and roads are."""

    edges: tuple[Edge, ...]
    of_kind: tuple[tuple[int, ...], tuple[int, ...]]
    connecting: tuple[tuple[int, ...], tuple[int, ...]]  # the same in connecting order


@dataclass(frozen=True, slots=True)
class Tile:
    """One kind of tile, in its four rotations."""

    name: str
    faces: tuple[Face, ...]
    points: tuple[int, int]  # for its cities, for its roads
    joins_roads: bool  # whether its roads meet inside; its cities always do


def _face(letters: str) -> Face:
    edges = tuple(Edge(LETTERS.index(letter)) for letter in letters)
    cities = tuple(i for i, edge in enumerate(edges) if edge is Edge.CITY)
    roads = tuple(i for i, edge in enumerate(edges) if edge is Edge.ROAD)
    return Face(edges, (cities, roads), (_in_order(cities), _in_order(roads)))


def _in_order(edges: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(edge for edge in CONNECTING_ORDER if edge in edges)


def _tile(name: str) -> Tile:
    city, road = EDGE_POINTS
    return Tile(
        name,
        tuple(_face(name[-turns:] + name[:-turns]) for turns in range(4)),
        (city * name.count("C"), road * name.count("R")),
        joins_roads=name.count("R") == 2 and name != "CRCR",
    )


_NAMES: Final = (
    "CCCC FFFF RRRR CCCF CCCR CCRR CFFF FFFR CRRR FRRR CCFF CFCF "
    "CRCR FFRR FRFR CCFR CCRF CFCR CFFR CFRF CRFF CRRF CRFR CFRR"
)
_COPIES: Final = "2 0 0 4 3 6 4 0 0 4 7 6 0 9 8 0 0 0 0 0 0 3 4 4"

EMPTY: Final = 24  # the code of Empty, just behind the tiles
TILES: Final = tuple(_tile(name) for name in (*_NAMES.split(), "MMMM"))
DECK: Final = tuple(int(count) for count in _COPIES.split())  # how many of each the usual deck has
