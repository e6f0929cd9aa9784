"""How a turn goes: whose it is, what may stand in its way, and what a move changes.

Either side may open; then they alternate, each within 65 seconds of the other. Who lets that time
pass is skipped if the opponent moves again in the next 65 seconds; after those nobody can move and
the game can only be finished. A move lays the top tile, or a joker, which is any tile at all, or it
lays none: then the top tile goes back for another one.

`play` takes a move that `refusal` and `fits` have let pass. It changes the `Components` it is given
and nothing else; what chance decides it is told: `drawn` is the place in the deck of the tile that
comes up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from chain.errors import Revert
from chain.types import u8, u64
from contracts.mage_duel.board import cell_at
from contracts.mage_duel.scoring import add_points, contest_rest, immediate_points, join_in, settle
from contracts.mage_duel.session import Refusal
from contracts.mage_duel.state import Ending, Move, PlayerSide, State
from contracts.mage_duel.union_find import Components, Contest

MOVE_TIME: Final = 65  # seconds


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of a game: the board as it then stood, and the contests of all that was open."""

    state: State
    contests: tuple[Contest, ...]


@dataclass(frozen=True, slots=True)
class Played:
    """What a move did: the board after it, its contests, and the end of the game if it was that."""

    state: State
    contests: tuple[Contest, ...] = ()
    finish: Finish | None = None


def is_turn(state: State, side: PlayerSide, now: u64) -> bool:
    """Whether this side may move now, if only because the opponent's time is over."""
    if state.last_move is None:
        return True
    waited = now - state.updated_at
    if state.last_move.side == side:
        return MOVE_TIME < waited <= 2 * MOVE_TIME
    return waited <= MOVE_TIME


def skips_opponent(state: State, side: PlayerSide) -> bool:
    """Whether a move of this side comes in place of the opponent's, who is then skipped."""
    return state.last_move is not None and state.last_move.side == side


def refusal(
    state: State, side: PlayerSide, now: u64, *, with_joker: bool = False
) -> Refusal | None:
    """Why this side may not move now, if so. Jokers are counted before the time."""
    if state.ending is not None:
        return Refusal.GAME_IS_ALREADY_FINISHED
    if with_joker and state.jokers[side] == 0:
        return Refusal.NOT_ENOUGH_JOKERS
    if not is_turn(state, side, now):
        return Refusal.NOT_YOUR_TURN
    return None


def placement(
    state: State, side: PlayerSide, joker_tile: u8 | None, rotation: u8, col: u8, row: u8
) -> Move:
    """The move that lays a joker or else the top tile; whether it fits is another question."""
    if joker_tile is not None:
        return Move(side, joker_tile, rotation, col, row, is_joker=True)
    if state.top_tile is None:
        raise Revert("No tiles in the deck")
    return Move(side, state.top_tile, rotation, col, row)


def tiles_to_draw(state: State, move: Move) -> tuple[u8, ...]:
    """The tiles of which this move draws one: the deck, below it the tile that a skip returns."""
    if move.is_joker:
        return ()
    if move.tile is None and state.top_tile is not None:
        return (*state.deck, state.top_tile)
    return state.deck


def play(state: State, components: Components, move: Move, now: u64, drawn: int = 0) -> Played:
    """Makes a move, and before it the opponent's skip if their time was over."""
    if skips_opponent(state, move.side):
        state = _record(state, Move(move.side.opponent), now)
    if move.tile is None:
        return _skip(state, components, move, now, drawn)
    return _place(state, components, move, move.tile, now, drawn)


def _place(
    state: State, components: Components, move: Move, tile: u8, now: u64, drawn: int
) -> Played:
    cell, content = cell_at(move.col, move.row), (tile, move.rotation, int(move.side))
    points = immediate_points(state.ring, cell, content)
    contests = tuple(join_in(components, state, cell, content))
    top_tile, deck = state.top_tile, state.deck
    if not move.is_joker:
        top_tile, deck = draw_tile(tiles_to_draw(state, move), drawn)
    after = State(
        ring=state.ring,
        cells=(*state.cells[:cell], content, *state.cells[cell + 1 :]),
        deck=deck,
        top_tile=top_tile,
        jokers=_jokers_after(state.jokers, move),
        scores=settle(add_points(state.scores, move.side, points), contests),
        last_move=move,
        moves_done=state.moves_done + 1,
        updated_at=now,
    )
    if after.top_tile is None and after.jokers == (0, 0):
        end = finish(after, components, Ending.NOTHING_LEFT, now)
        return Played(end.state, contests, end)
    return Played(after, contests)


def _skip(state: State, components: Components, move: Move, now: u64, drawn: int) -> Played:
    """Lays nothing. The second skip in a row ends the game, and still draws and is recorded."""
    end = None
    if state.last_move is not None and state.last_move.tile is None:
        end = finish(state, components, Ending.TWO_SKIPS, now)
        state = end.state
    top_tile, deck = draw_tile(tiles_to_draw(state, move), drawn)
    after = _record(replace(state, top_tile=top_tile, deck=deck), move, now)
    return Played(after, finish=end)


def _record(state: State, move: Move, now: u64) -> State:
    return replace(state, last_move=move, moves_done=state.moves_done + 1, updated_at=now)


def draw_tile(deck: tuple[u8, ...], drawn: int) -> tuple[u8 | None, tuple[u8, ...]]:
    """The tile that comes up, if any is left, and the deck without it."""
    if not deck:
        return None, deck
    return deck[drawn], deck[:drawn] + deck[drawn + 1 :]


def _jokers_after(jokers: tuple[u8, u8], move: Move) -> tuple[u8, u8]:
    blue, red = jokers
    if not move.is_joker:
        return jokers
    return (blue - 1, red) if move.side == PlayerSide.BLUE else (blue, red - 1)


def can_finish(state: State, now: u64) -> bool:
    """Whether so long nobody has moved that either player may end the game."""
    return now - state.updated_at > 2 * MOVE_TIME


def finish(state: State, components: Components, ending: Ending, now: u64) -> Finish:
    """Ends the game: contests all that is still open."""
    contests = tuple(contest_rest(components))
    scores = settle(state.scores, contests)
    return Finish(replace(state, scores=scores, updated_at=now, ending=ending), contests)


def cancel(state: State) -> State:
    """Ends the game with nothing contested and nobody paid."""
    return replace(state, ending=Ending.CANCELED)
