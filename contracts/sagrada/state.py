"""The whole of a game at one moment, as one frozen value.

Parts that a command does not touch are shared between the state before and the state after. Cards
are kept by id; what they say is looked up in the library.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from chain.errors import Revert
from chain.types import u8
from contracts.sagrada.dice import Bag, Die
from contracts.sagrada.messages import NOT_PICKED, OUT_OF_BOUNDS
from contracts.sagrada.turns import TurnOrder
from contracts.sagrada.window import Window

ROUNDS: Final = 10


@dataclass(frozen=True, slots=True)
class RoundTrack:
    """The dice left over from each round, in order of arrival, and how many each round left."""

    round: u8 = 1
    dice: tuple[Die, ...] = ()
    counts: tuple[u8, ...] = (0,) * ROUNDS


@dataclass(frozen=True, slots=True)
class Turn:
    """What happened in this turn; a new turn begins with a fresh one."""

    picked: Die | None = None
    die_placed: bool = False
    tool_activated: bool = False
    undo_available: bool = False
    active_tool: u8 = 0
    passive_tool: u8 = 0
    moved: tuple[Die, ...] = ()


@dataclass(frozen=True, slots=True)
class BoardTool:
    id: u8
    favor_points: u8 = 0


@dataclass(frozen=True, slots=True)
class Player:
    username: str
    favor_points: u8
    objective: u8 | None
    window: Window


@dataclass(frozen=True, slots=True)
class State:
    track: RoundTrack
    bag: Bag
    pool: tuple[Die, ...]
    turn: Turn
    objectives: tuple[u8, ...]
    tools: tuple[BoardTool, ...]
    order: TurnOrder
    players: tuple[Player, ...]


def is_finished(state: State) -> bool:
    return state.track.round > ROUNDS


def current_player(state: State) -> Player:
    return state.players[state.order.current]


def picked_die(state: State) -> Die:
    die = state.turn.picked
    if die is None:
        raise Revert(NOT_PICKED)
    return die


def board_tool(state: State, number: int) -> BoardTool:
    for tool in state.tools:
        if tool.id == number:
            return tool
    raise Revert(OUT_OF_BOUNDS)


def with_turn(state: State, **changes: Any) -> State:
    return replace(state, turn=replace(state.turn, **changes))


def with_current_player(state: State, **changes: Any) -> State:
    seat = state.order.current
    changed = replace(state.players[seat], **changes)
    return replace(state, players=(*state.players[:seat], changed, *state.players[seat + 1 :]))
