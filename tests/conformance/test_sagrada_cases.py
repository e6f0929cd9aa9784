"""The recorded single cases of Sagrada: frames, placements, moves, scores and turn orders, by the rules and on a chain.

On the chain a case is laid out as a game, and asked by the commands that players have: `place` minds all three rules, tool
9 leaves out placing, the moves of tools 2, 3 and 4 leave out colour, shade and nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import pytest

from chain import Chain, call
from chain.errors import Revert
from chain.types import u64
from contracts.sagrada import Sagrada
from contracts.sagrada.dice import LETTERS, Die
from contracts.sagrada.library import LIBRARY
from contracts.sagrada.messages import COORD, GENERIC, OCCUPIED, OUT_OF_BOUNDS
from contracts.sagrada.placement import RULES, compose
from contracts.sagrada.playouts import NAMES, opening
from contracts.sagrada.state import BoardTool, State, Turn
from contracts.sagrada.turns import TurnOrder, next_turn, round_from, take_two_turns
from contracts.sagrada.window import Dice, Window, cell_at, with_die

Json = dict[str, Any]

SWAPPED: Final = {18: 19, 19: 18}
PLENTY: Final = 200  # favor points
PLACING_TOOLS: Final = {"PCS": 0, "CS": 9}
MOVING_TOOLS: Final = {"PS": 2, "PC": 3, "PCS": 4}


class LaidOut(Sagrada):
    """The contract with one entry more: a game that begins in any state."""

    @call
    def lay_out(self, state: State) -> u64:
        game_id = self._add(())
        self._begin(game_id, state)
        return game_id


class Table:
    """States laid out on a chain; what a command would do there is looked at and undone."""

    def __init__(self) -> None:
        self.chain = Chain()
        self.players = [self.chain.account(name) for name in NAMES]
        self.game = self.chain.deploy(LaidOut)

    def lay_out(self, state: State) -> int:
        game_id: int = self.game.lay_out(state).return_value
        return game_id

    def refusal(self, game_id: int, text: str) -> str | None:
        """Why the first player may not, without the sentence that all refusals begin with."""
        seen = self.game.execute_command.simulate(game_id, text, sender=self.players[0])
        return None if seen.error is None else seen.error.text.removeprefix(f"{GENERIC}\n")

    def execute(self, game_id: int, text: str) -> None:
        player = self.chain.account(self.game.current_player(game_id))
        self.game.execute_command(game_id, text, sender=player)


@pytest.fixture(scope="module")
def table() -> Table:
    return Table()


def with_window(window: Window, tool: int = 0, picked: Die | None = None) -> State:
    """A game in which the first player has this window, holds this die and uses this tool."""
    state = opening(seed=1)
    first = replace(state.players[0], window=window, favor_points=PLENTY)
    tools = (BoardTool(tool or 1), *(BoardTool(number) for number in (8, 10)))
    turn = Turn(picked, active_tool=tool, passive_tool=tool)
    return replace(state, players=(first, *state.players[1:]), tools=tools, turn=turn)


def window_of(record: Json) -> Window:
    frame = next(frame for frame in LIBRARY.frames if frame.name == record["frame"])
    return Window(frame, dice_of(record))


def dice_of(record: Json) -> Dice:
    cells = [text for row in record["dice"] for text in row]
    return tuple(text and die_of(text, number) for number, text in enumerate(cells))


def die_of(text: str, number: int) -> Die:
    return Die(LETTERS.index(text[0]) + 5 * number, int(text[1]))


def rule_of(letters: str) -> Any:
    return compose(**{name: name[0].upper() in letters for name in RULES})


@pytest.mark.records("sagrada", "cells", "difficulty")
def test_frame_is_the_printed_one(record: Json) -> None:
    (frame,) = (frame for frame in LIBRARY.frames if frame.name == record["name"])
    letters = {None: "."} | {
        name: name[0].upper() for name in ("red", "green", "yellow", "blue", "purple")
    }
    marks = "".join(letters.get(cell, str(cell)) for row in record["cells"] for cell in row)
    assert (frame.marks, frame.difficulty) == (marks, record["difficulty"])


@pytest.mark.records("sagrada", "dice", "die", "expected")
def test_placement_case(record: Json) -> None:
    window, die = window_of(record), die_of(record["die"], 20)
    for letters, expected in record["expected"].items():
        if isinstance(expected, str):
            with pytest.raises(Revert, match=OUT_OF_BOUNDS):
                cell_at(record["row"], record["column"])
            continue
        cell = cell_at(record["row"], record["column"])
        assert (rule_of(letters)(window, cell, die) is None) == expected
        assert (window.dice[cell] is None) == record["cell_free"]


@pytest.mark.records("sagrada", "dice", "die", "expected")
def test_placement_case_on_chain(table: Table, record: Json) -> None:
    window, die = window_of(record), die_of(record["die"], 20)
    text = f"place {record['row'] + 1} {record['column'] + 1}"
    for letters, tool in PLACING_TOOLS.items():
        refusal = table.refusal(table.lay_out(with_window(window, tool, die)), text)
        if isinstance(record["expected"][letters], str):
            assert refusal is not None and refusal.endswith(COORD)
        else:
            assert (refusal is None) == (record["cell_free"] and record["expected"][letters])


@pytest.mark.records("sagrada", "dice", "move", "expected")
def test_move_case(record: Json) -> None:
    window = window_of(record)
    source, target = cell_at(*record["move"][:2]), cell_at(*record["move"][2:])
    die, lifted = window.dice[source], with_die(window, source, None)
    assert die is not None
    assert (window.dice[target] is None) == record["target_free"]
    for letters, expected in record["expected"].items():
        assert (rule_of(letters)(lifted, target, die) or "ok") == expected


@pytest.mark.records("sagrada", "dice", "move", "expected")
def test_move_case_on_chain(table: Table, record: Json) -> None:
    text = " ".join(["move", *(str(number + 1) for number in record["move"])])
    for letters, tool in MOVING_TOOLS.items():
        refusal = table.refusal(table.lay_out(with_window(window_of(record), tool)), text)
        expected = record["expected"][letters] if record["target_free"] else OCCUPIED
        assert (refusal or "ok") == expected


@pytest.mark.records("sagrada", "dice", "public", "private")
def test_objectives_case(record: Json) -> None:
    dice = dice_of(record)
    for number, points in expected_points(record):
        assert LIBRARY.objectives[number].points(dice) == points
    assert dice.count(None) == record["empty_cells"]


@pytest.mark.records("sagrada", "dice", "public", "private")
def test_objectives_case_on_chain(table: Table, record: Json) -> None:
    state = with_window(Window(LIBRARY.frames[0], dice_of(record)))
    first, second = state.players
    without = PLENTY - record["empty_cells"]
    for number, points in expected_points(record):
        public = () if number in LIBRARY.private else (number,)
        player = replace(first, objective=None if public else number)
        game_id = table.lay_out(replace(state, objectives=public, players=(player, second)))
        assert table.game.score(game_id)[0].score == points + without


def expected_points(record: Json) -> Iterator[tuple[int, int]]:
    for number, points in (record["public"] | record["private"]).items():
        yield SWAPPED.get(int(number), int(number)), points


@pytest.mark.records("sagrada", "players", "turns")
def test_turns_case(record: Json) -> None:
    order = round_from(0, record["players"])
    for turn in record["turns"]:
        assert described(order) == {key: turn[key] for key in described(order)}
        if "order_after_two_turns" in turn:
            order = take_two_turns(order)
            assert [NAMES[seat] for seat in order.seats] == turn["order_after_two_turns"]
        order = next_turn(order)


@pytest.mark.records("sagrada", "players", "turns")
def test_turns_case_on_chain(table: Table, record: Json) -> None:
    """Tool 8 takes two turns and ends the first of them."""
    state = opening(1, record["players"])
    rich = tuple(replace(player, favor_points=PLENTY) for player in state.players)
    game_id = table.lay_out(replace(state, players=rich, tools=(BoardTool(8),)))
    for turn in record["turns"]:
        played = table.game.fields.tables[game_id]
        assert played is not None
        order = played.state.order
        assert described(order) == {key: turn[key] for key in described(order)}
        table.execute(game_id, "tool 8" if "order_after_two_turns" in turn else "pass")


def described(order: TurnOrder) -> Json:
    return {
        "turn_index": order.index,
        "first_player_index": order.first,
        "current": NAMES[order.current],
        "second_turn": order.is_second_turn,
        "round_starting": order.is_round_starting,
        "round_ending": order.is_round_ending,
        "order": [NAMES[seat] for seat in order.seats],
    }
