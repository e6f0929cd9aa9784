"""A game as text for people: what lies where, which cards count, whose turn it is.

In a window a die is colour and shade (`P5`), an empty cell shows its constraint in small (`p` or
`5`) or a dot.
"""

from __future__ import annotations

from collections.abc import Iterable

from contracts.sagrada.dice import Die
from contracts.sagrada.library import LIBRARY, Library
from contracts.sagrada.state import ROUNDS, Player, State, current_player, is_finished
from contracts.sagrada.window import ROW_CELLS, Window


def draw(state: State, library: Library = LIBRARY) -> str:
    lines = [_heading(state), f"Round track: {_track(state)}", f"Pool: {_pool(state.pool)}"]
    if state.turn.picked is not None:
        lines.append(f"Picked: {state.turn.picked}")
    lines.append("Objectives: " + ", ".join(library.objectives[n].name for n in state.objectives))
    lines.append("Tools: " + ", ".join(_tools(state, library)))
    for player in state.players:
        lines += ["", _player(player, library), *_window(player.window)]
    return "\n".join(lines)


def _heading(state: State) -> str:
    if is_finished(state):
        return f"All {ROUNDS} rounds have been played"
    turn = "second" if state.order.is_second_turn else "first"
    order = " ".join(state.players[seat].username for seat in state.order.seats)
    name = current_player(state).username
    return f"Round {state.track.round}, {name}'s {turn} turn (order: {order})"


def _track(state: State) -> str:
    """The dice of each round together."""
    dice, slots = state.track.dice, []
    for count in state.track.counts[: state.track.round - 1]:
        slots.append(_dice(dice[:count]))
        dice = dice[count:]
    return " | ".join(slots) or "empty"


def _tools(state: State, library: Library) -> Iterable[str]:
    in_use = (state.turn.active_tool, state.turn.passive_tool)
    for tool in state.tools:
        use = ", in use" if tool.id in in_use else ""
        yield f"{tool.id} {library.tools[tool.id].name} ({tool.favor_points}{use})"


def _player(player: Player, library: Library) -> str:
    number = player.objective
    objective = "no private objective" if number is None else library.objectives[number].name
    return f"{player.username}, {player.favor_points} favor points, {objective}"


def _window(window: Window) -> Iterable[str]:
    yield "    1  2  3  4  5"
    for number, row in enumerate(ROW_CELLS, 1):
        cells = (_cell(window.dice[cell], window.frame.marks[cell]) for cell in row)
        yield f"  {number} {' '.join(cells)}".rstrip()


def _cell(die: Die | None, mark: str) -> str:
    return f"{mark.lower()} " if die is None else str(die)


def _pool(dice: tuple[Die, ...]) -> str:
    """The dice with the numbers that pick them."""
    return " ".join(f"{number}:{die}" for number, die in enumerate(dice, 1)) or "-"


def _dice(dice: tuple[Die, ...]) -> str:
    return " ".join(str(die) for die in dice) or "-"
