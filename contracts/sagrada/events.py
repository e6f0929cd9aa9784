"""What a game announces, so that whoever listens can follow it.

A command is announced by its text and its step, which counts the commands that stand; what it did to the table is read off
the states before and after it, so a new card announces itself. An undone step takes all that was announced for it back,
a redone one brings it again. Players go by name; rows and columns count from 1, as in commands.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from chain import Key, event
from chain.types import u8, u32, u64
from contracts.sagrada import rules
from contracts.sagrada.dice import Die
from contracts.sagrada.models import Score
from contracts.sagrada.state import State, current_player
from contracts.sagrada.window import COLUMNS, Dice


@event
class GameCreated:
    game_id: Key[u64]
    players: tuple[str, ...]


@event
class FrameChosen:
    game_id: Key[u64]
    player: str
    frame: str


@event
class GameStarted:
    game_id: Key[u64]
    players: tuple[str, ...]


@event
class CommandExecuted:
    game_id: Key[u64]
    player: str
    command: str
    step: u32


@event
class Undone:
    game_id: Key[u64]
    player: str
    step: u32


@event
class Redone:
    game_id: Key[u64]
    player: str
    step: u32


@event
class DicePlaced:
    game_id: Key[u64]
    player: str
    die: Die
    row: u8
    column: u8


@event
class DiceMoved:
    game_id: Key[u64]
    player: str
    die: Die
    from_row: u8
    from_column: u8
    row: u8
    column: u8


@event
class ToolActivated:
    game_id: Key[u64]
    player: str
    tool: u8
    cost: u8


@event
class TurnPassed:
    game_id: Key[u64]
    player: str
    next_player: str


@event
class RoundEnded:
    game_id: Key[u64]
    round: u8
    left: tuple[Die, ...]  # what goes from the pool to the round track


@event
class GameEnded:
    game_id: Key[u64]
    winner: str
    scores: tuple[Score, ...]


News: TypeAlias = DicePlaced | DiceMoved | ToolActivated | TurnPassed | RoundEnded | GameEnded


def news(game_id: int, before: State, after: State) -> Iterator[News]:
    """What a command did to the table."""
    player = current_player(before).username
    if after.players is not before.players:
        yield from _window_news(game_id, before, after)
    if after.tools is not before.tools:
        for was, tool in zip(before.tools, after.tools, strict=True):
            if tool.favor_points != was.favor_points:
                cost = tool.favor_points - was.favor_points
                yield ToolActivated(game_id, player, tool.id, cost)
    if after.order is not before.order:
        yield TurnPassed(game_id, player, current_player(after).username)
    if after.track.round != before.track.round:
        yield from _round_news(game_id, before, after)


def _window_news(game_id: int, before: State, after: State) -> Iterator[News]:
    """Only the window of the player whose turn it was can have changed."""
    seat = before.order.current
    player, old = before.players[seat].username, before.players[seat].window.dice
    new = after.players[seat].window.dice
    cells = [cell for cell, (was, die) in enumerate(zip(old, new, strict=True)) if was is not die]
    for cell in cells:
        die = new[cell]
        if die is None or die == old[cell]:
            continue
        row, column = divmod(cell, COLUMNS)
        was = _cell_of(die, old)
        if was is None:
            yield DicePlaced(game_id, player, die, row + 1, column + 1)
        else:
            from_row, from_column = divmod(was, COLUMNS)
            yield DiceMoved(
                game_id, player, die, from_row + 1, from_column + 1, row + 1, column + 1
            )


def _cell_of(die: Die, dice: Dice) -> int | None:
    cells = [cell for cell, other in enumerate(dice) if other is not None and other.id == die.id]
    return cells[0] if cells else None


def _round_news(game_id: int, before: State, after: State) -> Iterator[News]:
    yield RoundEnded(game_id, before.track.round, after.track.dice[len(before.track.dice) :])
    winner = rules.winner(after)
    if winner is not None:
        yield GameEnded(game_id, winner, rules.standings(after))
