"""A state as one line of text.

The line has one word a part: round, dice left over by each round, round track, bag (a shade for
each of the ninety dice, 0 for one that is out), pool, picked die, moved dice, flags (`p` placed,
`t` tool used, `u` undo open), active and passive tool, public objectives, tools with their favor
points, turn order, then a word for each player. A die is written as colour, shade, and the letter
that tells the eighteen of one colour apart: `P5o`. `-` is nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import quote, unquote

from contracts.sagrada.dice import LETTERS, Die
from contracts.sagrada.state import BoardTool, Player, RoundTrack, State, Turn
from contracts.sagrada.turns import TurnOrder
from contracts.sagrada.window import Frame, Window

NONE: Final = "-"
FLAGS: Final = "ptu"


def to_text(state: State) -> str:
    track, turn, order = state.track, state.turn, state.order
    flags = (turn.die_placed, turn.tool_activated, turn.undo_available)
    return " ".join(
        (
            str(track.round),
            _joined(track.counts),
            _dice_text(track.dice),
            "".join(map(str, state.bag)),
            _dice_text(state.pool),
            _dice_text(() if turn.picked is None else (turn.picked,)),
            _dice_text(turn.moved),
            "".join(letter for letter, up in zip(FLAGS, flags, strict=True) if up) or NONE,
            f"{turn.active_tool}/{turn.passive_tool}",
            _joined(state.objectives),
            _joined(f"{tool.id}:{tool.favor_points}" for tool in state.tools),
            f"{order.index}@{order.first}:{_joined(order.seats)}",
            *(_player_text(player) for player in state.players),
        )
    )


def from_text(text: str) -> State:
    (
        round_,
        counts,
        track,
        bag,
        pool,
        picked,
        moved,
        flags,
        in_use,
        objectives,
        tools,
        order,
        *players,
    ) = text.split(" ")
    return State(
        RoundTrack(int(round_), _dice(track), _numbers(counts)),
        tuple(int(shade) for shade in bag),
        _dice(pool),
        _turn(picked, moved, flags, in_use),
        _numbers(objectives),
        tuple(BoardTool(*map(int, tool.split(":"))) for tool in _words(tools)),
        _order(order),
        tuple(_player(player) for player in players),
    )


def _turn(picked: str, moved: str, flags: str, in_use: str) -> Turn:
    placed, used, undo = (letter in flags for letter in FLAGS)
    active, passive = map(int, in_use.split("/"))
    die = None if picked == NONE else _die(picked)
    return Turn(die, placed, used, undo, active, passive, _dice(moved))


def _order(text: str) -> TurnOrder:
    index, first, seats = re.split("[@:]", text)
    return TurnOrder(int(index), int(first), _numbers(seats))


def _player_text(player: Player) -> str:
    window = player.window
    return ":".join(
        (
            quote(player.username, safe=""),
            str(player.favor_points),
            NONE if player.objective is None else str(player.objective),
            quote(window.frame.name, safe=""),
            str(window.frame.difficulty),
            window.frame.marks,
            "".join("." if die is None else _die_text(die) for die in window.dice),
        )
    )


def _player(text: str) -> Player:
    username, favor, objective, name, difficulty, marks, dice = text.split(":")
    frame = Frame(unquote(name), int(difficulty), marks)
    cells = re.findall(r"\.|...", dice)
    window = Window(frame, tuple(None if cell == "." else _die(cell) for cell in cells))
    number = None if objective == NONE else int(objective)
    return Player(unquote(username), int(favor), number, window)


def _die_text(die: Die) -> str:
    return f"{die}{chr(ord('a') + die.id // 5)}"


def _die(text: str) -> Die:
    return Die(5 * (ord(text[2]) - ord("a")) + LETTERS.index(text[0]), int(text[1]))


def _dice_text(dice: tuple[Die, ...]) -> str:
    return _joined(_die_text(die) for die in dice)


def _dice(text: str) -> tuple[Die, ...]:
    return tuple(_die(word) for word in _words(text))


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(word) for word in _words(text))


def _joined(things: Iterable[object]) -> str:
    return ".".join(str(thing) for thing in things) or NONE


def _words(text: str) -> list[str]:
    return [] if text == NONE else text.split(".")
