"""Simple players: each step they choose one of the legal commands, or take the last one back.

A player has an order of the kinds of command they like, and tries what they have not tried yet in this turn; where nothing
is left to try they undo. A careful player prefers, among commands of a kind, what leaves them the most points.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, NoReturn

from contracts.sagrada import rules
from contracts.sagrada.library import LIBRARY
from contracts.sagrada.state import State, current_player

TOOL_COMMANDS: Final = ("move", "select", "increase", "decrease")
Worth = Callable[[State, str], int]


class Unknown(Exception):
    """What comes of a command is left to chance."""


class NoChance:
    def choice(self, options: Sequence[int], /, *, tag: str) -> NoReturn:
        raise Unknown


@dataclass
class Simple:
    """`kinds` is what the player likes best first; what is not in it they never do."""

    name: str
    kinds: tuple[str, ...]
    careful: bool = False
    tried: set[tuple[State, str]] = field(default_factory=set)

    def choose(self, state: State, legal: Sequence[str], may_undo: bool) -> str:
        self.tried = {(at, text) for at, text in self.tried if at.order == state.order}
        for kind in self.kinds:
            texts = [
                text
                for text in legal
                if text.split(" ")[0] == kind and (state, text) not in self.tried
            ]
            if texts:
                text = (
                    max(texts, key=lambda text: prospect(state, text)) if self.careful else texts[0]
                )
                self.tried.add((state, text))
                return text
        return "undo" if may_undo else "pass"


def prospect(state: State, text: str) -> int:
    """The points that a command leaves its player; for a pick, with the best place for the die."""
    after = foreseen(state, text)
    if after is None:
        return -100
    places = [place for place in rules.legal_moves(after) if place.startswith("place ")]
    if text.startswith("pick ") and places:
        return max(prospect(after, place) for place in places)
    return points(after, state.order.current)


def foreseen(state: State, text: str) -> State | None:
    try:
        return rules.execute(state, current_player(state).username, text, NoChance())
    except Unknown:
        return None


def points(state: State, seat: int) -> int:
    """The score as it would be if it could be less than nothing."""
    player = state.players[seat]
    cards = state.objectives if player.objective is None else (*state.objectives, player.objective)
    won = sum(LIBRARY.objectives[number].points(player.window.dice) for number in cards)
    return won + player.favor_points - player.window.dice.count(None)


def hasty(name: str) -> Simple:
    """Takes the first die that fits anywhere, and puts it there."""
    return Simple(name, ("place", "pick", "pass"))


def careful(name: str) -> Simple:
    """Looks at every die and every place for it."""
    return Simple(name, ("place", "pick", "pass"), careful=True)


def tinkerer(name: str) -> Simple:
    """Uses a tool card wherever there is one to use."""
    return Simple(name, ("place", *TOOL_COMMANDS, "tool", "pick", "pass"), careful=True)
