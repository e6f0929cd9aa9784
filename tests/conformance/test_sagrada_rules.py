"""Replays the recorded games and cases of Sagrada, step by step, on the rules.

The recordings have the ids 18 and 19 the other way round, and end a game by drawing dice that nobody plays (or, with
four players, by failing to): both are put right before comparing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

import pytest

from chain.errors import Revert
from contracts.sagrada import history as histories
from contracts.sagrada import rules
from contracts.sagrada.dice import LETTERS, Die
from contracts.sagrada.encoding import decode, encode, encode_for
from contracts.sagrada.history import History
from contracts.sagrada.library import LIBRARY
from contracts.sagrada.messages import OUT_OF_BOUNDS
from contracts.sagrada.patch import apply, diff
from contracts.sagrada.placement import RULES, compose
from contracts.sagrada.rules import Seat
from contracts.sagrada.state import State
from contracts.sagrada.turns import TurnOrder, next_turn, round_from, take_two_turns
from contracts.sagrada.window import Dice, Window, cell_at, with_die

Json = dict[str, Any]

SWAPPED = {18: 19, 19: 18}
LAST_ROUND = 10
TURN_FLAGS = ("die_placed", "tool_activated", "dice_moved")


class Told:
    """Chance that is told beforehand, and minds whether it is asked for the right thing."""

    def __init__(self, *told: tuple[str, int]) -> None:
        self.told = list(told)

    def choice(self, options: Sequence[int], /, *, tag: str) -> int:
        expected, value = self.told.pop(0)
        assert tag == expected
        assert value in options
        return value


def recorded_chance(events: list[Json]) -> Told:
    values = {"draw": ("draw", "id"), "roll": ("roll", "shade"), "bag_insert": ("roll", "shade")}
    return Told(*((tag, event[key]) for event in events for tag, key in [values[event["event"]]]))


def our_id(number: int) -> int:
    return SWAPPED.get(number, number)


def ours(document: Json) -> Json:
    """A recorded state (or view) with our ids, our texts on the cards, and the bag in order of ids."""
    manager = document["turn_manager"]
    adapted = document | {
        "public_objectives": [card(item["id"]) for item in document["public_objectives"]],
        "tools": [
            card(item["id"]) | {"favor_points": item["favor_points"]} for item in document["tools"]
        ],
        "turn_manager": manager
        | {"players": [with_our_card(player) for player in manager["players"]]},
    }
    if "dice_bag" in document:
        dice = sorted(document["dice_bag"]["dice"], key=lambda die: die["id"])
        adapted["dice_bag"] = {"dice": dice}
    return adapted


def with_our_card(player: Json) -> Json:
    key = "private objective"
    return player | ({key: card(player[key]["id"])} if key in player else {})


def card(number: int) -> Json:
    found = {**LIBRARY.tools, **LIBRARY.objectives}[our_id(number)]
    return {"id": found.id, "name": found.name, "description": found.description}


def comparable(document: Json, failed: bool) -> Json:
    """What counts of a state: after the end neither pool nor bag, nor the flags if advancing failed."""
    if document["round_track"]["current_round_number"] <= LAST_ROUND:
        return document
    skipped = ("dice_pool", "dice_bag", *(TURN_FLAGS if failed else ()))
    return {key: value for key, value in document.items() if key not in skipped}


class Replay:
    """One recorded game on its way, with everything the recording says of each step."""

    def __init__(self, start: Json) -> None:
        self.document = ours(start["state"])
        self.history = History(decode(self.document))
        self.failed = False
        self.stale = 0  # redos that the recording kept where a legal command clears them

    def is_off_the_rules(self, step: Json) -> bool:
        """Whether the recording now redoes what the rules have cleared."""
        return step["op"] == "redo" and self.stale > 0 and not self.history.redos

    def step(self, step: Json) -> None:
        if step["op"] == "command":
            self.command(step)
        else:
            self.turn_back_or_forth(step)
        self.document = ours(step["state"]) if "state" in step else self.document
        self.compare(step)

    def command(self, step: Json) -> None:
        before, chance = self.history, recorded_chance(step["random"])
        if step["result"] == "illegal":
            with pytest.raises(Revert, match=f"^{re.escape(step['message'])}$"):
                histories.play(before, step["by"], step["cmd"], chance)
            return
        self.history = histories.play(before, step["by"], step["cmd"], chance)
        if rules.outcome(self.history.state):
            chance.told.clear()
        assert not chance.told
        self.failed = self.failed or step["result"] == "exception"
        self.stale = len(before.redos) if step["result"] == "exception" else 0

    def turn_back_or_forth(self, step: Json) -> None:
        if step["op"] == "undo":
            assert step["undo_was_available"] == histories.can_undo(self.history)
        before = self.history
        self.history = getattr(histories, step["op"])(before)
        assert step["result"] == ("noop" if self.history is before else "ok")

    def compare(self, step: Json) -> None:
        state, history = self.history.state, self.history
        assert comparable(encode(state), self.failed) == comparable(self.document, self.failed)
        assert step["undo_available"] == histories.can_undo(history)
        assert (step["redo_depth"] > self.stale) == histories.can_redo(history)
        assert step["undo_depth"] == len(history.undos)
        assert step["redo_depth"] - self.stale == len(history.redos)
        assert step["ended"] == (rules.outcome(state) is not None)
        names = [player.username for player in state.players]
        assert step["current"] == names[state.order.current]
        assert step["score"] == dict(zip(names, rules.scores(state), strict=True))


@pytest.mark.records("sagrada", "lines")
def test_game_replays(record: Json) -> None:
    _, start, *steps = record["lines"]
    replay = Replay(start)
    replay.compare(start)
    opening = replay.history.state
    for step in takewhile(lambda step: not replay.is_off_the_rules(step), steps):
        check_legal_moves(replay.history.state, step)
        replay.step(step)
        check_forms(replay.history.state, opening)


def check_legal_moves(state: State, step: Json) -> None:
    """A command of the player whose turn it is is legal if it is listed; no number has a leading 0."""
    mover = state.players[state.order.current].username
    if step["op"] == "command" and step["by"] == mover and " 0" not in step["cmd"]:
        assert (step["cmd"] in rules.legal_moves(state)) == (step["result"] != "illegal")


def check_forms(state: State, opening: State) -> None:
    assert decode(encode(state)) == state
    assert rules.from_text(rules.to_text(state)) == state
    assert apply(opening, diff(opening, state)) == state


@pytest.mark.records("sagrada", "lines")
def test_views_hide_what_they_should(record: Json) -> None:
    header, *steps = record["lines"]
    states = [step["state"] for step in steps if "state" in step]
    for key, document in (("views_at_start", states[0]), ("views_at_end", states[-1])):
        state = decode(ours(document))
        for name, view in header.get(key, {}).items():
            assert encode_for(state, name) == ours(view)


@pytest.mark.records("sagrada", "lines")
def test_setup_deals_as_recorded(record: Json) -> None:
    header, start = record["lines"][:2]
    if "setup" not in header:
        return
    state = decode(ours(start["state"]))
    offered = [name for seat in header["setup"] for name in seat["frames_offered"]]
    numbers = [[frame.name for frame in LIBRARY.frames].index(name) for name in offered]
    frames = rules.offer_frames(header["players"], Told(*(("cards", n) for n in numbers)))
    assert [frame.name for offer in frames for frame in offer] == offered
    assert rules.new_game(seats(header, frames), opening_chance(state)) == state


def seats(header: Json, frames: tuple[tuple[Any, ...], ...]) -> list[Seat]:
    setup = header["setup"]
    private = [("cards", seat["private_objective_id"]) for seat in setup]
    dealt = rules.deal_private_objectives(len(setup), Told(*private))
    return [
        Seat(
            seat["username"],
            next(frame for frame in offer if frame.name == seat["frame_chosen"]),
            objective,
        )
        for seat, offer, objective in zip(setup, frames, dealt, strict=True)
    ]


def opening_chance(state: State) -> Told:
    shades = list(state.bag)
    for die in state.pool:
        shades[die.id] = die.shade
    cards = (*state.objectives, *(tool.id for tool in state.tools))
    return Told(
        *(("bag", shade) for shade in shades),
        *(("cards", number) for number in cards),
        *(("draw", die.id) for die in state.pool),
    )


@pytest.mark.records("sagrada", "cells", "difficulty")
def test_frame_is_the_printed_one(record: Json) -> None:
    (frame,) = (frame for frame in LIBRARY.frames if frame.name == record["name"])
    letters = {None: "."} | {
        name: name[0].upper() for name in ("red", "green", "yellow", "blue", "purple")
    }
    marks = "".join(letters.get(cell, str(cell)) for row in record["cells"] for cell in row)
    assert (frame.marks, frame.difficulty) == (marks, record["difficulty"])


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


@pytest.mark.records("sagrada", "dice", "move", "expected")
def test_move_case(record: Json) -> None:
    window = window_of(record)
    source, target = cell_at(*record["move"][:2]), cell_at(*record["move"][2:])
    die, lifted = window.dice[source], with_die(window, source, None)
    assert die is not None
    assert (window.dice[target] is None) == record["target_free"]
    for letters, expected in record["expected"].items():
        assert (rule_of(letters)(lifted, target, die) or "ok") == expected


@pytest.mark.records("sagrada", "dice", "public", "private")
def test_objectives_case(record: Json) -> None:
    dice = dice_of(record)
    for number, points in (record["public"] | record["private"]).items():
        assert LIBRARY.objectives[our_id(int(number))].points(dice) == points
    assert dice.count(None) == record["empty_cells"]


@pytest.mark.records("sagrada", "players", "turns")
def test_turns_case(record: Json) -> None:
    order = round_from(0, record["players"])
    for turn in record["turns"]:
        names = ("ada", "bruno", "chiara", "dario")
        assert described(order, names) == {k: turn[k] for k in described(order, names)}
        if "order_after_two_turns" in turn:
            order = take_two_turns(order)
            assert [names[seat] for seat in order.seats] == turn["order_after_two_turns"]
        order = next_turn(order)


def described(order: TurnOrder, names: Sequence[str]) -> Json:
    return {
        "turn_index": order.index,
        "first_player_index": order.first,
        "current": names[order.current],
        "second_turn": order.is_second_turn,
        "round_starting": order.is_round_starting,
        "round_ending": order.is_round_ending,
        "order": [names[seat] for seat in order.seats],
    }
