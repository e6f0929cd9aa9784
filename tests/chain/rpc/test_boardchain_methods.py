"""The `chain_…` methods: everything a chain knows, as plain JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import Enum
from typing import Any

import pytest

from chain import (
    Address,
    Chain,
    Contract,
    Key,
    Map,
    Revert,
    Set,
    Vector,
    call,
    error,
    event,
    init,
    require,
    view,
)
from chain.crypto.accounts import ACCOUNTS
from chain.rpc.errors import BAD_PARAMS, RpcError
from chain.simulator.world_handle import WorldHandle
from chain.types import u8, u64, u256
from tests.chain.toys import Score, Scoring

Ask = Callable[..., Any]
ALICE, BOB = ACCOUNTS[:2]
START = 1_704_067_200


class Suit(Enum):
    HEARTS = 0
    SPADES = 1


@event
class Played:
    player: Key[Address]
    suit: Suit
    points: u256


@error
class TooMuch(Revert):
    most: u64


class Table(Contract):
    limit: u64
    played: Vector[Suit]
    points: Map[Address, u64]
    seen: Set[Address]
    shares: Map[u8, Map[str, u8]]

    @init
    def new(self, limit: u64) -> None:
        self.limit = limit

    @call(payable=True)
    def play(self, suit: Suit, points: u64) -> u64:
        require(points, "nothing is not a play")
        if points > self.limit:
            raise TooMuch(self.limit)
        self.played.append(suit)
        self.points[self.caller] += points
        self.seen.add(self.caller)
        self.shares[3]["a"] += 1
        self.emit(Played(self.caller, suit, points * 10**18))
        self.log("played")
        return self.points[self.caller]

    @call
    def roll(self) -> u8:
        return self.random.below(6, tag="die")

    @view
    def points_of(self, player: Address) -> u64:
        self.log("looked")
        return self.points[player]


@pytest.fixture
def chain() -> Chain:
    made = Chain()
    table = made.deploy(Table, 100, sender=ALICE)
    table.play(Suit.SPADES, 7, sender=ALICE)
    table.play(Suit.HEARTS, 5, sender=BOB)
    table.play(Suit.HEARTS, 500, sender=BOB, check=False)
    return made


@pytest.fixture
def world(chain: Chain) -> WorldHandle:
    made = chain.deploy_world("arcade", systems=[Scoring], writers={Score: [Scoring]})
    for points in (3, 1):
        made.system(Scoring).win(points, sender=BOB)
    return made


@pytest.fixture
def ask(chain: Chain) -> Ask:
    """Send a request as over a network: only JSON values go in and come out."""

    def ask(method: str, *params: Any) -> Any:
        sent = json.loads(json.dumps(params))
        return json.loads(json.dumps(chain.node.request(f"chain_{method}", sent)))

    return ask


def refusal(ask: Ask, method: str, *params: Any) -> str:
    with pytest.raises(RpcError) as caught:
        ask(method, *params)
    assert caught.value.code == BAD_PARAMS
    return caught.value.message


# Contracts and accounts


def test_contracts_are_listed(chain: Chain, ask: Ask) -> None:
    chain.deploy(Table, 1)
    first, second = ask("contracts")
    assert (first["label"], second["label"], first["receipt"]) == ("Table", "Table#2", 0)
    assert first["abi"] == json.loads(json.dumps(Table.__spec__.abi))


def test_programs_can_be_deployed(ask: Ask) -> None:
    (program,) = ask("programs")
    assert program["class"] == f"{Table.__module__}:Table"
    assert ask("send", {"data": program["bytecode"] + f"{5:064x}"})["contract"] == "Table"


def test_named_accounts_are_made(chain: Chain, ask: Ask) -> None:
    made = ask("account", "first.testnet")
    assert made["address"] == str(chain.account("first.testnet"))
    assert made in ask("accounts")


# What happened


def test_receipts_are_decoded(ask: Ask) -> None:
    told = ask("receipt", 1)
    assert told["entry"] == "play" and told["args"] == {"suit": "SPADES", "points": 7}
    assert told["result"] == 7 and told["logs"][1]["text"] == "played"
    assert told["logs"][0]["event"] == "Played"
    assert told["logs"][0]["fields"] == {
        "player": str(ALICE),
        "suit": "SPADES",
        "points": str(7 * 10**18),
    }


def test_failures_show_everything(ask: Ask) -> None:
    told = ask("receipt", 3)
    assert (told["ok"], told["error"]["name"]) == (False, "TooMuch")
    assert told["error"]["fields"] == {"most": 100} and told["writes"] == []


def test_receipts_are_found_by_hash(chain: Chain, ask: Ask) -> None:
    told = ask("receipt", "0x" + chain.receipts[2].tx_hash.hex())
    assert told["position"] == 2
    assert ask("receipt", "0x" + "00" * 32) is None


@pytest.mark.parametrize(
    ("filter", "positions"),
    [
        ({}, [0, 1, 2, 3]),
        ({"sender": "bob"}, [2, 3]),
        ({"sender": str(BOB), "ok": True}, [2]),
        ({"contract": "Table", "entry": "play", "limit": 2}, [1, 2]),
        ({"to": "Table", "backwards": True, "limit": 1}, [3]),
        ({"fromBlock": 2, "toBlock": "0x3"}, [1, 2]),
        ({"before": 3, "limit": 2}, [2, 1]),
        ({"since": START + 3}, [2, 3]),
        ({"since": START + 2, "until": hex(START + 3)}, [1, 2]),
        ({"error": {"containing": "TooMuch"}}, [3]),
        ({"error": "nothing is not a play"}, []),
        ({"account": "bob"}, [2, 3]),
        ({"value": {"at_most": 0}, "entry": {"one_of": ["play", "new"]}, "ok": True}, [0, 1, 2]),
        ({"gas_used": {"at_least": hex(10**7)}}, []),
    ],
)
def test_receipts_are_filtered(ask: Ask, filter: dict[str, Any], positions: list[int]) -> None:
    assert [told["position"] for told in ask("receipts", filter)] == positions


@pytest.mark.parametrize(
    ("filter", "points"),
    [
        ({}, [7, 5]),
        ({"where": {"player": str(BOB)}}, [5]),
        ({"where": {"player": "bob"}}, [5]),
        ({"where": {"suit": "SPADES"}}, [7]),
        ({"where": {"points": str(5 * 10**18)}}, [5]),
        ({"contract": "Table", "backwards": True}, [5, 7]),
        ({"fromBlock": 3}, [5]),
        ({"until": START + 2}, [7]),
        ({"account": str(BOB).lower()}, [5]),
        ({"where": {"points": {"at_least": str(6 * 10**18)}}}, [7]),
        ({"where": {"points": {"at_most": 6 * 10**18}, "suit": {"one_of": [0, "SPADES"]}}}, [5]),
    ],
)
def test_events_are_filtered(ask: Ask, filter: dict[str, Any], points: list[int]) -> None:
    found = ask("events", "Played", filter)
    assert [int(each["fields"]["points"]) // 10**18 for each in found] == points


def test_events_of_all_types(ask: Ask, world: WorldHandle) -> None:
    told = ask("events")
    assert [each["event"] for each in told][:3] == ["Played", "Played", "WorldSpawned"]
    assert [each["log"] for each in ask("events", None, {"before": told[2]["log"]})] == [
        told[1]["log"],
        told[0]["log"],
    ]


def test_events_name_their_block_and_receipt(chain: Chain, ask: Ask) -> None:
    told = ask("events", "Played")[1]
    assert (told["receipt"], told["block"], told["timestamp"]) == (2, 3, START + 3)
    assert told["hash"] == "0x" + chain.receipts[2].tx_hash.hex()


def test_activity_is_reported(chain: Chain, ask: Ask) -> None:
    assert ask("activity", 2) == chain.activity(2)


@pytest.mark.parametrize(
    ("method", "params", "words"),
    [
        ("receipts", [{"sendr": "bob"}], "the filter has no sendr; it has sender, to,"),
        ("receipts", [{"sender": "zoe"}], "this chain has no account of that name"),
        ("receipts", [{"limit": 10_001}], "at most 10000 are returned at a time"),
        ("receipt", ["first"], "the position is 'first'"),
        ("events", ["Moved"], "no contract on this chain declares an event 'Moved'"),
        ("events", ["Played", {"where": {"suit": "CLUBS"}}], "it is one of HEARTS, SPADES"),
        ("events", ["Played", {"where": {"player": "zoe"}}], "player: it is 'zoe': this chain has"),
        ("events", ["Played", {"where": {"hand": 1}}], "event Played has no hand"),
        ("events", ["Played", {"where": {"points": -1}}], "points = -1 does not fit u256"),
        ("events", [7], "queried by name"),
        ("events", ["Played", {"where": {"suit": {"at_least": 0}}}], "it holds no numbers"),
        ("receipts", [{"gas_used": {"containing": "1"}}], "it is a number"),
        ("receipts", [{"error": {"at_least": 1}}], "is not a text, containing(…)"),
        ("receipts", [{"since": "noon"}], "'since' is 'noon'"),
        ("receipts", [{"account": "zoe"}], "this chain has no account of that name"),
    ],
)
def test_wrong_questions_are_explained(
    ask: Ask, method: str, params: list[Any], words: str
) -> None:
    assert words in refusal(ask, method, *params)


# SQL


def test_sql_answers(ask: Ask) -> None:
    told = ask("sql", "select suit, points from Played where player = ?", [str(BOB)])
    assert told == {"columns": ["suit", "points"], "rows": [["HEARTS", "5000000000000000000"]]}


# What is kept


def test_worlds_are_listed(ask: Ask, world: WorldHandle) -> None:
    (told,) = ask("worlds")
    assert told["address"] == str(world.address) and told["models"] == {"Score": ["player"]}
    assert told["systems"] == {"Scoring": str(world.system(Scoring).address)}


def test_models_are_read(ask: Ask, world: WorldHandle) -> None:
    value = {"player": str(BOB), "points": 4}
    assert ask("model", "arcade", "Score", [str(BOB)]) == {"exists": True, "value": value}
    assert ask("models", str(world.address), "Score") == [value]
    assert not ask("model", "arcade", "Score", str(ALICE))["exists"]


def test_models_have_a_past(chain: Chain, ask: Ask, world: WorldHandle) -> None:
    before = chain.head.number - 1
    assert ask("model", "arcade", "Score", {"player": str(BOB)}, before)["value"]["points"] == 3
    history = ask("modelHistory", "arcade", "Score", str(BOB))
    assert [(each["value"]["points"], each["block"]) for each in history] == [
        (3, before),
        (4, before + 1),
    ]


def test_fields_are_shown(ask: Ask) -> None:
    assert ask("fields", "Table") == {
        "limit": 100,
        "played": ["SPADES", "HEARTS"],
        "points": [{"key": str(ALICE), "value": 7}, {"key": str(BOB), "value": 5}],
        "seen": [str(ALICE), str(BOB)],
        "shares": [{"key": 3, "value": [{"key": "a", "value": 2}]}],
    }


def test_fields_have_a_past(ask: Ask) -> None:
    assert ask("fields", "Table", 2)["played"] == ["SPADES"]
    assert ask("fields", "Table", "earliest") == {
        "limit": 0,
        "played": [],
        "points": [],
        "seen": [],
        "shares": [],
    }


@pytest.mark.parametrize(
    ("method", "params", "words"),
    [
        ("model", ["arcade", "Board", [1]], "the world has no model 'Board'; it has Score"),
        (
            "model",
            ["arcade", "Score", [1, 2]],
            "the key of Score = [1, 2] is incomplete: write player",
        ),
        ("model", ["arcade", "Score", {"who": 1}], "is incomplete: write player"),
        ("models", ["Table", "Score"], "there is no World at"),
        ("fields", ["alice"], "there is no Python contract at"),
    ],
)
@pytest.mark.usefixtures("world")
def test_wrong_targets_are_explained(ask: Ask, method: str, params: list[Any], words: str) -> None:
    assert words in refusal(ask, method, *params)


# Sending and control


def test_entries_are_sent_by_name(ask: Ask) -> None:
    args = {"suit": "HEARTS", "points": "0x09"}
    told = ask("send", {"from": "bob", "to": "Table", "entry": "play", "args": args, "value": 3})
    assert told["result"] == 14 and told["value"] == 3 and told["sender_name"] == "bob"


def test_failed_sends_answer_receipts(ask: Ask) -> None:
    told = ask("send", {"to": "Table", "entry": "play", "args": ["HEARTS", 0]})
    assert (told["ok"], told["error"]["text"]) == (False, "nothing is not a play")


def test_contracts_are_deployed_by_name(ask: Ask) -> None:
    told = ask("send", {"contract": "Table", "args": [9]})
    assert ask("fields", told["address"])["limit"] == 9


def test_calls_change_nothing(chain: Chain, ask: Ask) -> None:
    seen = ask("look", {"to": "Table", "entry": "points_of", "args": ["0x" + BOB.hex()]})
    assert (seen["result"], seen["texts"], len(chain.receipts)) == (5, ["looked"], 4)
    past = ask("look", {"to": "Table", "entry": "points_of", "args": [str(BOB)]}, 2)
    assert past["result"] == 0


def test_calls_report_refusals(ask: Ask) -> None:
    seen = ask("look", {"to": "Table", "entry": "play", "args": ["HEARTS", 101]})
    assert seen["error"]["name"] == "TooMuch" and seen["result"] is None


def test_time_is_steered(ask: Ask) -> None:
    assert ask("advance", 65) == ask("now") == START + 4 + 65
    assert ask("mine", 2) == 6
    assert ask("setTime", START + 500) == START + 500


def test_chance_is_loaded(ask: Ask) -> None:
    ask("load", {"die": [5, 2]})
    assert ask("send", {"to": "Table", "entry": "roll"})["result"] == 5
    assert ask("unload") == {"die": [2]}


@pytest.mark.parametrize(
    ("method", "params", "words"),
    [
        ("send", [{"to": "Table", "entry": "pley"}], "Table has no entry 'pley'; it has play,"),
        (
            "send",
            [{"to": "Table", "entry": "play", "args": [1.5, 1]}],
            "play.suit = 1.5 is not Suit",
        ),
        ("send", [{"to": "Table", "entry": "play", "args": ["HEARTS"]}], "play needs 'points'"),
        (
            "send",
            [{"to": "Table", "entry": "roll", "args": [1]}],
            "roll takes 0 arguments; 1 were given",
        ),
        ("send", [{"contract": "Chess"}], "no contract 'Chess' can be deployed here; there are"),
        ("setTime", [5], "time does not run backwards"),
        ("load", [[6]], "outcomes are lists by tag"),
        ("mine", [-1], "a quantity looks like"),
    ],
)
def test_wrong_commands_are_explained(ask: Ask, method: str, params: list[Any], words: str) -> None:
    assert words in refusal(ask, method, *params)
