"""Replays the recorded games of Sagrada step by step: through the bare rules, and on a chain.

The recordings have the ids 18 and 19 the other way round, and end a game by drawing dice that nobody plays (or, with
four players, by failing to): both are put right before comparing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import takewhile
from typing import Any, Final

import pytest

from chain import Chain, call
from chain.errors import Revert
from chain.types import u64
from contracts.sagrada import DiceMoved, DicePlaced, Sagrada, rules, setup
from contracts.sagrada import history as histories
from contracts.sagrada.contract import TURN_TIME
from contracts.sagrada.encoding import decode, encode, encode_for
from contracts.sagrada.history import History
from contracts.sagrada.library import LIBRARY
from contracts.sagrada.messages import GAME_FINISHED, NOT_AVAILABLE
from contracts.sagrada.patch import apply, diff
from contracts.sagrada.playouts import Seeded
from contracts.sagrada.state import State, current_player, is_finished

Json = dict[str, Any]
Outcomes = list[tuple[str, int]]  # of chance, each with its tag

SWAPPED: Final = {18: 19, 19: 18}
LAST_ROUND: Final = 10
TURN_FLAGS: Final = ("die_placed", "tool_activated", "dice_moved")
DRAWN: Final = {"draw": ("draw", "id"), "roll": ("roll", "shade"), "bag_insert": ("roll", "shade")}
LEAD_NOWHERE: Final = (
    4,
    9,
)  # tools that may leave nothing legal: one die moved of two, no cell left
TAGS: Final = ("bag", "draw", "roll", "cards")


class Told:
    """Chance with given outcomes. It checks that the right ones are asked for."""

    def __init__(self, told: Outcomes) -> None:
        self.told = list(told)

    def choice(self, options: Sequence[int], /, *, tag: str) -> int:
        expected, value = self.told.pop(0)
        assert tag == expected
        assert value in options
        return value


class RulesDesk:
    """The contract in small: one game, and who may is left to whoever asks."""

    def new_game(self, setup_: list[Json], outcomes: Outcomes) -> None:
        chance, names = Told(outcomes), [seat["username"] for seat in setup_]
        guests = setup.invite(names, chance)
        for seat in setup_:
            guests = setup.choose_frame(guests, seat["username"], seat["frame_chosen"])
        self.history = History(rules.new_game(setup.seats_of(guests), chance))

    def load(self, document: Json) -> None:
        self.history = History(decode(document))

    def command(self, by: str, text: str, outcomes: Outcomes) -> str | None:
        """The refusal, if it is one."""
        chance = Told(outcomes)
        try:
            self.history = histories.play(self.history, by, text, chance)
        except Revert as refused:
            return refused.text
        assert not chance.told
        return None

    def turn_back_or_forth(self, operation: str) -> bool:
        """Undo or redo; whether there was anything to."""
        before = self.history
        self.history = getattr(histories, operation)(before)
        return self.history is not before

    def force_pass(self) -> None:
        self.history = histories.force_pass(self.history, Seeded(0))

    def data(self, player: str | None = None) -> Json:
        state = self.history.state
        return encode(state) if player is None else encode_for(state, player)

    def legal(self) -> tuple[str, ...]:
        return rules.legal_moves(self.history.state)

    def seen(self) -> Json:
        """Return all that the game shows beside its data."""
        history, state = self.history, self.history.state
        return {
            "undo_available": histories.can_undo(history),
            "redo_available": histories.can_redo(history),
            "undo_depth": len(history.undos),
            "redo_depth": len(history.redos),
            "ended": rules.outcome(state) is not None,
            "current": current_player(state).username,
            "score": {each.username: each.score for each in rules.standings(state)},
        }


class Unguarded(Sagrada):
    """The contract with the operations of the original beside its own, which ask nobody."""

    @call
    def undo_anyway(self, game_id: u64) -> None:
        table = self._table(game_id)
        self.tables.change(game_id, table, self._undo(game_id, table))

    @call
    def redo_anyway(self, game_id: u64) -> None:
        table = self._table(game_id)
        self.tables.change(game_id, table, self._redo(game_id, table))


class ChainDesk:
    """The contract itself, asked by named accounts."""

    def __init__(self) -> None:
        self.chain = Chain()
        self.game = self.chain.deploy(Unguarded)

    def new_game(self, setup_: list[Json], outcomes: Outcomes) -> None:
        names = [seat["username"] for seat in setup_]
        with self.chain.loaded(**by_tag(outcomes)):
            self.id = self.game.create_game(names).return_value
            for seat in setup_:
                offered = [
                    frame.name for frame in self.game.window_frames(self.id, seat["username"])
                ]
                assert offered == seat["frames_offered"]
                card = self.game.private_objective(self.id, seat["username"])
                assert card == seat["private_objective_id"]
                sender = self.chain.account(seat["username"])
                self.game.choose_frame(self.id, seat["frame_chosen"], sender=sender)

    def load(self, document: Json) -> None:
        self.id = self.game.load_game(json.dumps(document)).return_value

    def command(self, by: str, text: str, outcomes: Outcomes) -> str | None:
        sender = self.chain.account(by)
        with self.chain.loaded(**by_tag(outcomes)):
            receipt = self.game.execute_command(self.id, text, sender=sender, check=False)
        return None if receipt.error is None else receipt.error.text

    def turn_back_or_forth(self, operation: str) -> bool:
        """Undo or redo as the original does, by the contract's own entry if it may be called."""
        seen = self.seen()
        if not seen[f"{operation}_depth"]:
            return False
        sender, may = self.chain.account(seen["current"]), seen[f"{operation}_available"]
        receipt = getattr(self.game, operation)(self.id, sender=sender, check=False)
        assert receipt.ok == (may and not seen["ended"])
        if not receipt.ok:
            assert receipt.error.text == (GAME_FINISHED if seen["ended"] else NOT_AVAILABLE)
            getattr(self.game, f"{operation}_anyway")(self.id)
        return True

    def force_pass(self) -> None:
        self.chain.advance(TURN_TIME)
        self.game.force_pass(self.id)

    def data(self, player: str | None = None) -> Json:
        document: Json = json.loads(self.game.data(self.id, player))
        return document

    def legal(self) -> tuple[str, ...]:
        return tuple(self.game.legal_commands(self.id))

    def seen(self) -> Json:
        table = self.game.fields.tables[self.id]
        assert table is not None
        return {
            "undo_available": self.game.is_undo_available(self.id),
            "redo_available": self.game.is_redo_available(self.id),
            "undo_depth": table.undos,
            "redo_depth": table.redos,
            "ended": self.game.is_game_ended(self.id),
            "current": self.game.current_player(self.id),
            "score": {each.username: each.score for each in self.game.score(self.id)},
        }


def by_tag(outcomes: Outcomes) -> dict[str, list[int]]:
    """Return the outcomes to load, for every tag, so that nothing else is drawn."""
    return {tag: [value for other, value in outcomes if other == tag] for tag in TAGS}


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
