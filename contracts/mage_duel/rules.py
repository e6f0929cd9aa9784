"""The rules of Mage Duel, as the rulebook tells them.

Two mages lay tiles on a board of eight by eight cells, by turns (`turns`). A tile must fit what it
meets (`board`), pays for its edges at once, and joins cities and roads that are won by whoever has
more in them (`scoring`). Two skips in a row end the game, or time run out, or an empty deck when no
joker is left. Then what is still open is contested, and whoever has more in cities, roads and
unused jokers has won.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from chain.types import u8, u16, u64
from contracts.mage_duel.board import CELLS, SIZE, Place, edges_fit, fits, places_in_reach
from contracts.mage_duel.drawing import draw
from contracts.mage_duel.notation import from_text, to_text
from contracts.mage_duel.snapshots import rebuild, rewind
from contracts.mage_duel.state import EMPTY_CELL, Ending, Move, PlayerSide, RuleSet, Scores, State
from contracts.mage_duel.tiles import EMPTY, TILES
from contracts.mage_duel.turns import (
    MOVE_TIME,
    Finish,
    Played,
    can_finish,
    cancel,
    draw_tile,
    finish,
    placement,
    play,
    refusal,
    skips_opponent,
    tiles_to_draw,
)
from contracts.mage_duel.union_find import no_components

__all__ = [
    "MOVE_TIME",
    "USUAL",
    "Finish",
    "Outcome",
    "Played",
    "can_finish",
    "cancel",
    "draw",
    "finish",
    "fits",
    "from_text",
    "leader",
    "legal_moves",
    "no_components",
    "outcome",
    "placement",
    "play",
    "rebuild",
    "refusal",
    "rewind",
    "skips_opponent",
    "start",
    "tiles_to_draw",
    "to_text",
    "totals",
]

USUAL: Final = RuleSet()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: why, who won (nobody in a tie), and what either side is paid."""

    ending: Ending
    winner: PlayerSide | None
    totals: tuple[u16, u16]


def start(ring: tuple[u8, ...], drawn: int, now: u64, rules: RuleSet = USUAL) -> State:
    """A fresh board with its first top tile drawn."""
    deck = tuple(tile for tile, copies in enumerate(rules.deck) for _ in range(copies))
    top_tile, deck = draw_tile(deck, drawn)
    jokers = (rules.joker_number, rules.joker_number)
    return State(ring, (EMPTY_CELL,) * CELLS, deck, top_tile, jokers, updated_at=now)


def outcome(state: State, joker_price: u16 = USUAL.joker_price) -> Outcome | None:
    """Why the game is over and who won it, or None while it goes on."""
    if state.ending is None:
        return None
    if state.ending == Ending.CANCELED:
        return Outcome(state.ending, None, (0, 0))
    paid = totals(state.scores, state.jokers, joker_price)
    return Outcome(state.ending, leader(paid), paid)


def totals(scores: Scores, jokers: tuple[u8, u8], joker_price: u16) -> tuple[u16, u16]:
    """What Blue and Red have in the end: cities, roads and unused jokers."""
    blue, red = (
        sum(score) + left * joker_price for score, left in zip(scores, jokers, strict=True)
    )
    return blue, red


def leader(paid: tuple[u16, u16]) -> PlayerSide | None:
    """Who has more, if anybody."""
    blue, red = paid
    if blue == red:
        return None
    return PlayerSide.BLUE if blue > red else PlayerSide.RED


def legal_moves(state: State) -> tuple[Move, ...]:
    """All that may be played while the clock runs; on a fresh board by either side."""
    if state.ending is not None:
        return ()
    sides = tuple(PlayerSide) if state.last_move is None else (state.last_move.side.opponent,)
    places = tuple(places_in_reach(state))
    return tuple(move for side in sides for move in _moves_of(side, state, places))


def _moves_of(side: PlayerSide, state: State, places: tuple[Place, ...]) -> Iterator[Move]:
    if state.top_tile is not None:
        yield from _placements(side, (state.top_tile,), places, is_joker=False)
    if state.jokers[side]:
        yield from _placements(side, range(EMPTY), places, is_joker=True)
    yield Move(side)


def _placements(
    side: PlayerSide, tiles: Iterable[u8], places: tuple[Place, ...], *, is_joker: bool
) -> Iterator[Move]:
    for cell, facing in places:
        col, row = divmod(cell, SIZE)
        for tile in tiles:
            for rotation, face in enumerate(TILES[tile].faces):
                if edges_fit(face.edges, facing):
                    yield Move(side, tile, rotation, col, row, is_joker)
