"""Going back: a board as it was some moves ago, and the cities and roads of any board.

A rewound board takes its moves back, newest first: a tile leaves its cell, a joker returns to its
owner, a tile of the deck is the top tile again and the one that had come up after it goes back to
where it was drawn. Who does not know where that was puts it under the deck and leaves drawn what a
skip drew: then the deck holds the right tiles, but perhaps in another order than it did. Scores and
components are not taken back but made anew from the tiles that are left; they come to what they
were.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from chain.errors import require
from chain.types import u8, u16
from contracts.mage_duel.board import (
    BOTTOM,
    CELLS,
    LEFT,
    NEIGHBOURS,
    RIGHT,
    TOP,
    Ground,
    Layout,
    cell_at,
)
from contracts.mage_duel.scoring import ROADS_FIRST, add_points, immediate_points, join_in, settle
from contracts.mage_duel.state import EMPTY_CELL, Cell, Move, Scores, State
from contracts.mage_duel.union_find import Components, Contest, no_components

UNDER: Final = 1 << 16  # a place behind the last one of any deck


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What the tiles of a board come to, and the contests held on the way there."""

    components: Components
    scores: Scores
    contests: tuple[Contest, ...]


def rebuild(ground: Ground) -> Rebuilt:
    """Joins in every tile of a board, each beside those that came before it on a walk."""
    components = no_components()
    laid: list[Cell] = [EMPTY_CELL] * CELLS
    so_far = Layout(laid, ground.ring)
    scores: Scores = ((0, 0), (0, 0))
    contests: list[Contest] = []
    for cell in _walk(ground.cells):
        content = ground.cells[cell]
        scores = add_points(scores, content[2], immediate_points(ground.ring, cell, content))
        contests += join_in(components, so_far, cell, content, ROADS_FIRST)
        laid[cell] = content
    return Rebuilt(components, settle(scores, contests), tuple(contests))


def _walk(cells: Sequence[Cell]) -> Iterator[int]:
    """All cells with a tile, breadth first from the first one, then from the first not yet met."""
    waiting = [content != EMPTY_CELL for content in cells]
    for start in range(CELLS):
        group = [start] if waiting[start] else []
        waiting[start] = False
        for cell in group:
            yield cell
            for edge in (TOP, BOTTOM, RIGHT, LEFT):
                neighbour = NEIGHBOURS[cell][edge]
                if neighbour is not None and waiting[neighbour]:
                    waiting[neighbour] = False
                    group.append(neighbour)


def rewind(
    state: State, moves: Sequence[Move], move_number: u8, draws: Sequence[u16 | None] | None = None
) -> tuple[State, Rebuilt]:
    """The board as it stood after so many moves, its clock at 0, and what its tiles come to.

    `moves` are those of the board, newest first, at least back to that one; if they end too
    early, the board goes back as far as they reach. `draws` tells of each where in the deck the
    tile lay that came up after it, and None if none did.
    """
    require(move_number <= state.moves_done, "The board has fewer moves")
    count = state.moves_done - move_number
    if draws is None:
        draws = [None if move.tile is None else UNDER for move in moves]
    before = _take_back(state, moves[:count], draws)
    rebuilt = rebuild(before)
    rewound = replace(
        before,
        scores=rebuilt.scores,
        last_move=moves[count] if count < len(moves) else None,
        moves_done=move_number,
        updated_at=0,
        ending=None,
    )
    return rewound, rebuilt


def _take_back(state: State, moves: Sequence[Move], draws: Sequence[u16 | None]) -> State:
    cells, jokers = list(state.cells), list(state.jokers)
    deck, top_tile = list(state.deck), state.top_tile
    for move, drawn in zip(moves, draws, strict=False):
        if move.tile is not None:
            cells[cell_at(move.col, move.row)] = EMPTY_CELL
        if move.is_joker:
            jokers[move.side] += 1
            continue
        if drawn is not None and top_tile is not None:
            deck.insert(drawn, top_tile)
        if move.tile is not None:
            top_tile = move.tile
        elif drawn is not None:
            top_tile = deck.pop()  # a skip puts it under the deck before it draws
    blue, red = jokers
    return replace(
        state, cells=tuple(cells), jokers=(blue, red), deck=tuple(deck), top_tile=top_tile
    )
