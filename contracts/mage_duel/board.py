"""The board: eight by eight cells, the ring of 32 edges around them, and what fits where.

Cells count down the columns: cell = column * 8 + row, with row 0 at the top. Edges count clockwise
from the top, so edge 1 of a cell is its right one, and node = cell * 4 + edge names an edge of the
whole board. The ring runs counter-clockwise from the bottom left corner. A tile fits where each of
its edges meets its like or a mountain, and at least one meets its like; an empty neighbour counts
as mountain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from chain.types import u8
from contracts.mage_duel.state import EMPTY_CELL, Cell, Move
from contracts.mage_duel.tiles import EMPTY, TILES, Edge

SIZE: Final = 8
CELLS: Final = SIZE * SIZE
NODES: Final = CELLS * 4
TOP, RIGHT, BOTTOM, LEFT = range(4)


def cell_at(col: int, row: int) -> int:
    return col * SIZE + row


def opposite(edge: int) -> int:
    """The edge of the neighbour that this edge meets."""
    return (edge + 2) % 4


def _neighbours(cell: int) -> tuple[int | None, ...]:
    """The cells above, to the right, below and to the left, or None beyond the rim."""
    col, row = divmod(cell, SIZE)
    steps = ((col, row - 1), (col + 1, row), (col, row + 1), (col - 1, row))
    inside = range(SIZE)
    return tuple(cell_at(x, y) if x in inside and y in inside else None for x, y in steps)


def _ring_entries(cell: int) -> tuple[int, ...]:
    """The entry of the ring beyond each edge, were the cell at that rim."""
    col, row = divmod(cell, SIZE)
    return (23 - col, 15 - row, col, 24 + row)


NEIGHBOURS: Final = tuple(_neighbours(cell) for cell in range(CELLS))
RING_ENTRIES: Final = tuple(_ring_entries(cell) for cell in range(CELLS))
ACROSS: Final = tuple(  # beyond each edge: a neighbour and its edge there, or None and the entry
    tuple(
        (None, entry) if neighbour is None else (neighbour, opposite(edge))
        for edge, (neighbour, entry) in enumerate(zip(neighbours, entries, strict=True))
    )
    for neighbours, entries in zip(NEIGHBOURS, RING_ENTRIES, strict=True)
)
RIM: Final = tuple(  # the edges of each cell that lie on the rim, with their entries
    tuple((i, RING_ENTRIES[cell][i]) for i in range(4) if NEIGHBOURS[cell][i] is None)
    for cell in range(CELLS)
)


Place: TypeAlias = tuple[int, list[int]]  # a cell, and what a tile put there would meet


class Ground(Protocol):
    """Whatever has cells and a ring: a `State`, a `Layout`, a record in storage."""

    @property
    def cells(self) -> Sequence[Cell]: ...
    @property
    def ring(self) -> Sequence[u8]: ...


@dataclass(frozen=True, slots=True)
class Layout:
    """Cells and a ring with no game around them."""

    cells: Sequence[Cell]
    ring: Sequence[u8]


def edge_of(content: Cell, edge: int) -> Edge:
    """What a cell shows on one of its edges."""
    return TILES[content[0]].faces[content[1]].edges[edge]


def facing_edges(ground: Ground, cell: int) -> list[int]:
    """What a tile put here would meet, from the top clockwise."""
    return [
        ground.ring[there] if neighbour is None else edge_of(ground.cells[neighbour], there)
        for neighbour, there in ACROSS[cell]
    ]


def edges_fit(edges: Sequence[int], facing: Sequence[int]) -> bool:
    """Whether no edge meets another kind than its own and at least one meets its own."""
    touches = False
    for own, other in zip(edges, facing, strict=True):
        if own == other:
            touches = True
        elif other != Edge.MOUNTAIN:
            return False
    return touches


def fits(ground: Ground, move: Move) -> bool:
    """Whether the tile of this move may lie where the move puts it."""
    tile, rotation, col, row = move.tile, move.rotation, move.col, move.row
    if tile is None or not (0 <= tile < EMPTY and 0 <= rotation < 4):
        return False
    if not (0 <= col < SIZE and 0 <= row < SIZE):
        return False
    cell = cell_at(col, row)
    if ground.cells[cell] != EMPTY_CELL:
        return False
    return edges_fit(TILES[tile].faces[rotation].edges, facing_edges(ground, cell))


def places_in_reach(ground: Ground) -> Iterator[Place]:
    """The empty cells where a tile could touch anything."""
    for cell, content in enumerate(ground.cells):
        if content == EMPTY_CELL:
            facing = facing_edges(ground, cell)
            if any(edge != Edge.MOUNTAIN for edge in facing):
                yield cell, facing
