"""Small tables to try commands on: two players, few dice, ada to move. What differs from the plain one is told as parts of
the line of text that a state is written as (see `notation`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from chain.errors import Revert
from contracts.sagrada import messages, rules
from contracts.sagrada.state import State, current_player
from contracts.sagrada.window import ROW_CELLS

FREE: Final = "." * 20
LINE: Final = (
    "{round} {counts} {track} {bag} {pool} {picked} {moved} {flags} {in_use} 13.14.15 {tools}"
    " {order} ada:{favor}:23:Plain:4:{marks}:{window} bruno:4:24:Plain:4:{free}:{free}"
)
PLAIN: Final = """
    round=1 counts=0.0.0.0.0.0.0.0.0.0 track=- pool=R1a.G2a.Y3a.B4a.P5a picked=- moved=- flags=-
    in_use=0/0 tools=1:0.2:0.3:0 order=0@0:0.1.1.0 favor=4
"""
PARTS: Final = {"bag": "1" * 90, "marks": FREE, "window": FREE, "free": FREE} | dict(
    part.split("=") for part in PLAIN.split()
)
NO_TURN_LEFT: Final = "3@0:0.1.1.0"


class Told:
    """Chance that is told beforehand."""

    def __init__(self, told: Sequence[int]) -> None:
        self.told = list(told)

    def choice(self, options: Sequence[int], /, *, tag: str) -> int:
        value = self.told.pop(0)
        if value not in options:
            raise ValueError(f"{value} was told for {tag}, which has {options}")
        return value


def table(**parts: str) -> State:
    """A window's cells may be written row by row with spaces."""
    if "window" in parts:
        parts["window"] = parts["window"].replace(" ", "")
    return rules.from_text(LINE.format(**(PARTS | parts)))


def after(state: State, *texts: str, told: Sequence[int] = ()) -> State:
    """What the players whose turn it is make of a table; all that was told of chance must come."""
    chance = Told(told)
    for text in texts:
        state = rules.execute(state, current_player(state).username, text, chance)
    if chance.told:
        raise ValueError(f"nobody drew {chance.told}")
    return state


def refusals(state: State, text: str, player: str = "ada") -> list[str]:
    """Why a command is refused, after the sentence that comes first; no reason if it is not."""
    try:
        rules.execute(state, player, text, Told([]))
    except Revert as refusal:
        first, *reasons = refusal.text.split("\n")
        if first not in (messages.GENERIC, messages.GAME_FINISHED):
            raise
        return reasons or [first]
    return []


def pool(state: State) -> str:
    return " ".join(str(die) for die in state.pool)


def window(state: State, seat: int = 0) -> str:
    """The dice of a window as text, empty cells as dots, row by row."""
    dice = state.players[seat].window.dice
    return " / ".join(" ".join(str(dice[cell] or ".") for cell in row) for row in ROW_CELLS)


def turn(state: State) -> str:
    """The die held, the active and the passive tool, and whether the player may undo."""
    held = state.turn
    undo = "undo" if held.undo_available else "no undo"
    return f"{held.picked or '-'} {held.active_tool}/{held.passive_tool} {undo}"
