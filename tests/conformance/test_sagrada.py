"""Replays the recorded games of Sagrada step by step: through the bare rules, and on a chain.

The recordings have the ids 18 and 19 the other way round, and end a game by drawing dice that nobody plays (or, with
four players, by failing to): both are put right before comparing.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Any, Final

import pytest

from contracts.sagrada import DiceMoved, DicePlaced, rules
from contracts.sagrada.encoding import decode, encode
from contracts.sagrada.library import LIBRARY
from contracts.sagrada.patch import apply, diff
from contracts.sagrada.state import State, current_player, is_finished
from tests.conformance.sagrada_desks import ChainDesk, Json, Outcomes, RulesDesk

SWAPPED: Final = {18: 19, 19: 18}
LAST_ROUND: Final = 10
TURN_FLAGS: Final = ("die_placed", "tool_activated", "dice_moved")
DRAWN: Final = {"draw": ("draw", "id"), "roll": ("roll", "shade"), "bag_insert": ("roll", "shade")}
# Tools that may leave nothing legal: one die moved of two, no cell left.
LEAD_NOWHERE: Final = (4, 9)


@pytest.fixture(params=[RulesDesk, ChainDesk], ids=["rules", "chain"])
def desk(request: pytest.FixtureRequest) -> RulesDesk | ChainDesk:
    made: RulesDesk | ChainDesk = request.param()
    return made


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
    ours = SWAPPED.get(number, number)
    found = LIBRARY.tools.get(ours) or LIBRARY.objectives[ours]
    return {"id": found.id, "name": found.name, "description": found.description}


def comparable(document: Json, failed: bool) -> Json:
    """Return the part of a state that is compared: after the end neither pool nor bag, nor the flags if advancing failed."""
    if document["round_track"]["current_round_number"] <= LAST_ROUND:
        return document
    skipped = ("dice_pool", "dice_bag", *(TURN_FLAGS if failed else ()))
    return {key: value for key, value in document.items() if key not in skipped}


class Replay:
    """One recorded game on its way, with everything the recording says of each step."""

    def __init__(self, desk: RulesDesk | ChainDesk, start: Json) -> None:
        self.desk = desk
        self.document = ours(start["state"])
        self.failed = False
        self.stale = 0  # redos that the recording kept where a legal command clears them
        desk.load(self.document)
        self.compare(start)

    def is_off_the_rules(self, step: Json) -> bool:
        """Return True if the recording now redoes what the rules have cleared."""
        return step["op"] == "redo" and self.stale > 0 and not self.seen["redo_depth"]

    def step(self, step: Json) -> None:
        if step["op"] == "command":
            self.command(step)
        else:
            if step["op"] == "undo":
                assert step["undo_was_available"] == self.seen["undo_available"]
            did = self.desk.turn_back_or_forth(step["op"])
            assert step["result"] == ("ok" if did else "noop")
        self.document = ours(step["state"]) if "state" in step else self.document
        self.compare(step)

    def command(self, step: Json) -> None:
        self.check_legal(step)
        refusal = self.desk.command(step["by"], step["cmd"], outcomes_of(step))
        assert refusal == (step["message"] if step["result"] == "illegal" else None)
        if step["result"] != "illegal":
            failed = step["result"] == "exception"
            self.failed = self.failed or failed
            self.stale = self.seen["redo_depth"] if failed else 0

    def check_legal(self, step: Json) -> None:
        """Check that a command of the current player is legal if it is listed; no number has a leading 0."""
        if step["by"] == self.seen["current"] and " 0" not in step["cmd"]:
            assert (step["cmd"] in self.desk.legal()) == (step["result"] != "illegal")

    def compare(self, step: Json) -> None:
        self.seen = self.desk.seen()
        data, failed = self.desk.data(), self.failed
        assert comparable(data, failed) == comparable(self.document, failed)
        redos = step["redo_depth"] - self.stale
        recorded = {key: step[key] for key in self.seen}
        assert self.seen == recorded | {"redo_depth": redos, "redo_available": redos > 0}


def outcomes_of(step: Json) -> Outcomes:
    """Return the random outcomes; after the end there are none."""
    if step["result"] == "illegal" or step["ended"]:
        return []
    values = [(DRAWN[event["event"]], event) for event in step["random"]]
    return [(tag, event[key]) for (tag, key), event in values]


@pytest.mark.records("sagrada", "lines")
def test_game_replays(desk: RulesDesk | ChainDesk, record: Json) -> None:
    _, start, *steps = record["lines"]
    replay = Replay(desk, start)
    for step in takewhile(lambda step: not replay.is_off_the_rules(step), steps):
        replay.step(step)


@pytest.mark.records("sagrada", "lines")
def test_picture_changes_where_events_say(record: Json, watch: Any) -> None:
    """Of the windows; a step that is undone or redone changes the cells that its events named."""
    _, start, *steps = record["lines"]
    desk = ChainDesk()
    desk.load(ours(start["state"]))
    board, named = watch(desk.game, desk.id), cells_by_step()
    for step in steps:
        if step["op"] == "command":
            desk.command(step["by"], step["cmd"], outcomes_of(step))
        elif desk.turn_back_or_forth(step["op"]) != (step["result"] == "ok"):
            break  # the recording redoes what the rules have cleared
        changed, receipts = board.step()
        cells = {name for name in changed if name.rpartition(" ")[0] in step["score"]}
        assert cells == {cell for receipt in receipts for cell in named(receipt)}, step


def cells_by_step() -> Any:
    """A function that tells the cells that a receipt's events name, and remembers them by step."""
    by_step: dict[int, set[str]] = {}

    def named(receipt: Any) -> set[str]:
        steps = {event.step for event in receipt.events if hasattr(event, "step")}
        if receipt.events["CommandExecuted"]:
            by_step[min(steps)] = {cell for event in receipt.events for cell in cells_of(event)}
        return set().union(*(by_step[step] for step in steps))

    return named


def cells_of(event: Any) -> list[str]:
    match event:
        case DicePlaced():
            return [f"{event.player} {event.row},{event.column}"]
        case DiceMoved():
            origin = f"{event.player} {event.from_row},{event.from_column}"
            return [origin, f"{event.player} {event.row},{event.column}"]
    return []


@pytest.mark.records("sagrada", "lines")
def test_states_take_every_form(record: Json) -> None:
    documents = [ours(step["state"]) for step in record["lines"][1:] if "state" in step]
    opening = decode(documents[0])
    for document in documents[::3]:
        state = decode(document)
        assert encode(state) == document
        assert rules.from_text(rules.to_text(state)) == state
        assert apply(opening, diff(opening, state)) == state


@pytest.mark.records("sagrada", "lines")
def test_loaded_turn_can_be_ended(desk: RulesDesk | ChainDesk, record: Json) -> None:
    """States amid a turn, out of their game, so that nothing can be undone."""
    states = [step["state"] for step in record["lines"][1:] if "state" in step]
    amid_a_turn = [each for each in states if each["picked_die"] or each["active_tool_ID"]]
    in_use = [each for each in amid_a_turn if each["active_tool_ID"] in LEAD_NOWHERE]
    for document in map(ours, [*amid_a_turn[::4], *in_use]):
        state = decode(document)
        desk.load(document)
        desk.force_pass()
        went_on = decode(desk.data())
        assert went_on.order != state.order
        assert is_finished(went_on) or rules.is_legal(
            went_on, current_player(went_on).username, "pick 1"
        )


@pytest.mark.records("sagrada", "lines")
def test_views_hide_what_they_should(desk: RulesDesk | ChainDesk, record: Json) -> None:
    header, *steps = record["lines"]
    states = [step["state"] for step in steps if "state" in step]
    for key, document in (("views_at_start", states[0]), ("views_at_end", states[-1])):
        desk.load(ours(document))
        for name, view in header.get(key, {}).items():
            assert desk.data(name) == ours(view)


@pytest.mark.records("sagrada", "lines")
def test_setup_deals_as_recorded(desk: RulesDesk | ChainDesk, record: Json) -> None:
    header, start = record["lines"][:2]
    if "setup" not in header:
        return
    document = ours(start["state"])
    desk.new_game(header["setup"], dealt(header["setup"], decode(document)))
    assert desk.data() == document


def dealt(setup_: list[Json], state: State) -> Outcomes:
    """Return all random outcomes before the opening."""
    frames = [frame.name for frame in LIBRARY.frames]
    offered = [frames.index(name) for seat in setup_ for name in seat["frames_offered"]]
    shades = list(state.bag)
    for die in state.pool:
        shades[die.id] = die.shade
    return [
        *(("cards", seat["private_objective_id"]) for seat in setup_),
        *(("cards", number) for number in offered),
        *(("bag", shade) for shade in shades),
        *(("cards", number) for number in (*state.objectives, *(t.id for t in state.tools))),
        *(("draw", die.id) for die in state.pool),
    ]
