"""The rules of the game: executing a command, scoring, and how it ends.

A command is a line of text. Of all commands on the table (the basic ones, the activators of the
three tools, and the commands of a tool in use) those that understand the text are tried in turn,
and the first whose conditions hold is carried out. If none does, the refusal tells the reason of
each, and the state is what it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chain.errors import Revert, require
from contracts.sagrada import messages
from contracts.sagrada.cards import Command
from contracts.sagrada.conditions import Args
from contracts.sagrada.dice import Chance
from contracts.sagrada.drawing import draw
from contracts.sagrada.instructions import tear_down, tear_down_passive_tools
from contracts.sagrada.library import LIBRARY, Library
from contracts.sagrada.models import Score
from contracts.sagrada.notation import from_text, to_text
from contracts.sagrada.setup import Seat, deal_private_objectives, new_game, offer_frames
from contracts.sagrada.state import Player, State, current_player, is_finished


@dataclass(frozen=True, slots=True)
class Outcome:
    """Why the game is over, who won it, and the points, by seat."""

    reason: str
    winner: str
    scores: tuple[int, ...]


def execute(
    state: State, player: str, text: str, chance: Chance, library: Library = LIBRARY
) -> State:
    command, args = _find(state, player, text, library)
    return command.run(state, args, chance)


def is_legal(state: State, player: str, text: str, library: Library = LIBRARY) -> bool:
    try:
        _find(state, player, text, library)
    except Revert:
        return False
    return True


def legal_moves(state: State, library: Library = LIBRARY) -> tuple[str, ...]:
    """The texts of all commands that the current player may give now."""
    if is_finished(state):
        return ()
    texts = (text for command in _commands(state, library) for text in command.legal_texts(state))
    return tuple(dict.fromkeys(texts))


def break_off(state: State, chance: Chance) -> State:
    """The turn as it must be to be passed: no tool card is in use, a picked die is back in the pool."""
    for put_away in (tear_down(None), tear_down_passive_tools):
        state = put_away(state, (), chance)
    return state


def scores(state: State, library: Library = LIBRARY) -> tuple[int, ...]:
    """The points of each seat, at any time."""
    return tuple(_score(state, player, library) for player in state.players)


def standings(state: State, library: Library = LIBRARY) -> tuple[Score, ...]:
    """The points of each player, by seat."""
    points = zip(state.players, scores(state, library), strict=True)
    return tuple(Score(player.username, score) for player, score in points)


def winner(state: State, library: Library = LIBRARY) -> str | None:
    """Who has most points; among equals most private objective points, then most favor points.

    If that does not decide, the one who was last in the order of the last round.
    """
    if not is_finished(state):
        return None
    count = len(state.players)
    first = (state.order.first - 1) % count  # the order has already moved on from the last round
    points = scores(state, library)

    def strength(seat: int) -> tuple[int, int, int, int]:
        player = state.players[seat]
        private = _private_points(player, library)
        return points[seat], private, player.favor_points, (seat - first) % count

    return state.players[max(range(count), key=strength)].username


def outcome(state: State, library: Library = LIBRARY) -> Outcome | None:
    name = winner(state, library)
    if name is None:
        return None
    return Outcome("ten rounds have been played", name, scores(state, library))


def _find(state: State, player: str, text: str, library: Library) -> tuple[Command, Args]:
    """The command that this text gives now, with its arguments."""
    require(not is_finished(state), messages.GAME_FINISHED)
    may = player == current_player(state).username
    refusals = []
    for command in _commands(state, library):
        args = command.arguments(text)
        if args is None:
            continue
        refusal = command.refusal(state, args) if may else messages.NOT_YOUR_TURN
        if refusal is None:
            return command, args
        refusals.append(refusal)
    raise Revert("\n".join((messages.GENERIC, *(refusals or (messages.NOT_AVAILABLE,)))))


def _commands(state: State, library: Library) -> Iterator[Command]:
    yield from library.commands
    in_use = (state.turn.active_tool, state.turn.passive_tool)
    for tool in state.tools:
        card = library.tools[tool.id]
        yield card.activator
        if tool.id in in_use:
            yield from card.commands


def _private_points(player: Player, library: Library) -> int:
    if player.objective is None:
        return 0
    return library.objectives[player.objective].points(player.window.dice)


def _score(state: State, player: Player, library: Library) -> int:
    dice = player.window.dice
    public = sum(library.objectives[number].points(dice) for number in state.objectives)
    total = _private_points(player, library) + public + player.favor_points - dice.count(None)
    return max(total, 0)


__all__ = [
    "Outcome",
    "Seat",
    "break_off",
    "deal_private_objectives",
    "draw",
    "execute",
    "from_text",
    "is_legal",
    "legal_moves",
    "new_game",
    "offer_frames",
    "outcome",
    "scores",
    "standings",
    "to_text",
    "winner",
]
