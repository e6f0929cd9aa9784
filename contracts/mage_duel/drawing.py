"""A board as a picture that people can read.

Every cell is a box with its owner in the middle, `B` or `R`, and on its four sides what they show:
`c` a city, `r` a road, `f` a field. Neighbours share the side between them, since it is the same
for both (`!` says that it is not). Around the boxes stands the ring, where `^` is a mountain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from contracts.mage_duel.board import (
    BOTTOM,
    LEFT,
    NEIGHBOURS,
    RIGHT,
    RING_ENTRIES,
    SIZE,
    TOP,
    cell_at,
    edge_of,
    opposite,
)
from contracts.mage_duel.state import EMPTY_CELL, Cell, Ending, PlayerSide, State
from contracts.mage_duel.tiles import TILES

SYMBOLS: Final = "cr^f"  # of the edges, by code
OWNERS: Final = "BR"
ENDINGS: Final = {
    Ending.TWO_SKIPS: "two skips in a row",
    Ending.TIME_RAN_OUT: "time ran out",
    Ending.NOTHING_LEFT: "no tiles and no jokers left",
    Ending.CANCELED: "canceled",
}
MARGIN: Final = " " * 6


def draw(state: State) -> str:
    """The board with its ring, and below it the score and whose turn it is."""
    return "\n".join((*_board(state), "", *_facts(state))) + "\n"


def _board(state: State) -> Iterator[str]:
    yield MARGIN + "".join(f"  {col} " for col in range(SIZE)).rstrip()
    yield _ring_line(state, 0, TOP)
    for row in range(SIZE):
        yield _border(state, row, TOP)
        yield _row(state, row)
    yield _border(state, SIZE - 1, BOTTOM)
    yield _ring_line(state, SIZE - 1, BOTTOM)


def _ring_line(state: State, row: int, edge: int) -> str:
    symbols = (_ring_symbol(state, cell_at(col, row), edge) for col in range(SIZE))
    return MARGIN + "".join(f"  {symbol} " for symbol in symbols).rstrip()


def _border(state: State, row: int, edge: int) -> str:
    sides = (_side(state.cells, cell_at(col, row), edge, "-") for col in range(SIZE))
    return MARGIN + "+" + "".join(f"-{side}-+" for side in sides)


def _row(state: State, row: int) -> str:
    cells = [cell_at(col, row) for col in range(SIZE)]
    left, right = _ring_symbol(state, cells[0], LEFT), _ring_symbol(state, cells[-1], RIGHT)
    boxes = "".join(
        f"{_side(state.cells, cell, LEFT, '|')} {_owner(state.cells[cell])} " for cell in cells
    )
    return f"{row}  {left}  {boxes}{_side(state.cells, cells[-1], RIGHT, '|')}  {right}"


def _ring_symbol(state: State, cell: int, edge: int) -> str:
    return SYMBOLS[state.ring[RING_ENTRIES[cell][edge]]]


def _owner(content: Cell) -> str:
    return " " if content == EMPTY_CELL else OWNERS[content[2]]


def _side(cells: Sequence[Cell], cell: int, edge: int, blank: str) -> str:
    """What the tiles on both sides of a border show there."""
    neighbour = NEIGHBOURS[cell][edge]
    shown = [edge_of(cells[cell], edge)] if cells[cell] != EMPTY_CELL else []
    if neighbour is not None and cells[neighbour] != EMPTY_CELL:
        shown.append(edge_of(cells[neighbour], opposite(edge)))
    if not shown:
        return blank
    return SYMBOLS[shown[0]] if shown[0] == shown[-1] else "!"


def _facts(state: State) -> Iterator[str]:
    for side in PlayerSide:
        city, road = state.scores[side]
        yield f"{side.name.title()}: {city} city, {road} road, {state.jokers[side]} jokers"
    top = "no top tile" if state.top_tile is None else f"top tile {TILES[state.top_tile].name}"
    yield f"Deck: {top}, {len(state.deck)} below it"
    yield _turn(state)


def _turn(state: State) -> str:
    if state.ending is not None:
        return f"Over: {ENDINGS[state.ending]}"
    if state.last_move is None:
        return "Either side may open"
    return f"{state.last_move.side.opponent.name.title()} to move"
