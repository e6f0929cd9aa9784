"""A game with its past: the state and the two stacks of patches that undo and redo follow.

Every legal command leaves on the undo stack the way back to the state before it, and clears the
redo stack. Undo and redo themselves ask nobody whose turn it is; `can_undo` and `can_redo` tell
what a player would be allowed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from chain.errors import require
from contracts.sagrada.dice import Chance
from contracts.sagrada.library import LIBRARY, Library
from contracts.sagrada.messages import GAME_FINISHED
from contracts.sagrada.patch import diff, follow
from contracts.sagrada.rules import break_off, execute, is_legal
from contracts.sagrada.state import State, current_player, is_finished


@dataclass(frozen=True, slots=True)
class History:
    state: State
    undos: tuple[bytes, ...] = ()
    redos: tuple[bytes, ...] = ()


def play(
    history: History, player: str, text: str, chance: Chance, library: Library = LIBRARY
) -> History:
    before = history.state
    after = execute(before, player, text, chance, library)
    return History(after, (*history.undos, diff(after, before)))


def undo(history: History) -> History:
    if not history.undos:
        return history
    state, back = follow(history.state, history.undos[-1])
    return History(state, history.undos[:-1], (*history.redos, back))


def redo(history: History) -> History:
    if not history.redos:
        return history
    state, back = follow(history.state, history.redos[-1])
    return History(state, (*history.undos, back), history.redos[:-1])


def can_undo(history: History) -> bool:
    return bool(history.undos) and history.state.turn.undo_available


def can_redo(history: History) -> bool:
    return bool(history.redos)


def force_pass(history: History, chance: Chance, library: Library = LIBRARY) -> History:
    """End a turn whose time is over: undo until passing is legal, then pass.

    A game that was loaded in mid-turn may have nothing left to undo: its turn is broken off.
    """
    require(not is_finished(history.state), GAME_FINISHED)
    while history.undos and not _may_pass(history, library):
        history = undo(history)
    if not _may_pass(history, library):
        history = replace(history, state=break_off(history.state, chance))
    return play(history, _whose_turn(history), "pass", chance, library)


def _may_pass(history: History, library: Library) -> bool:
    return is_legal(history.state, _whose_turn(history), "pass", library)


def _whose_turn(history: History) -> str:
    return current_player(history.state).username
