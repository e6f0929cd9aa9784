"""Values of one of several records, `Attack | Heal`, and records as keys: in fields, calls, events, models and from outside."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

import pytest
from eth_abi import decode as decode_abi

from chain import (
    Address,
    Chain,
    Contract,
    IterableMap,
    Key,
    Map,
    Revert,
    Reverted,
    Set,
    System,
    call,
    error,
    event,
    model,
    reverts,
    view,
)
from chain.crypto.hashing import keccak
from chain.fuzz.random_values import values
from chain.simulator.handle import Handle
from chain.types import u8, u64
from tests.chain.explorer.visitor import Visitor


@dataclass(frozen=True)
class Attack:
    target: Address
    power: u8 = 1


@dataclass(frozen=True)
class Say:
    words: str
    marks: tuple[u8, ...] = ()


@dataclass(frozen=True)
class Rest:
    pass


Action = Attack | Say | Rest


@event
class Acted:
    who: Key[Address]
    action: Action


@error
class Refused(Revert):
    action: Attack | Rest


@dataclass
class Turn:
    number: u8
    action: Attack | Rest


class Arena(Contract):
    last: Action
    next: Attack | Rest = Rest()
    plan: Action | None
    turns: list[Turn]
    by_player: dict[Address, Action]

    @call
    def act(self, action: Action) -> Action:
        before = self.last
        self.last = self.by_player[self.caller] = action
        match action:
            case Attack(target, power):
                require_other(target != self.caller, action)
                self.turns.append(Turn(power, action))
            case Say(words):
                self.log(words)
                self.plan = action
            case Rest():
                self.turns[-1].action = self.next = action
                self.plan = None
        self.emit(Acted(self.caller, action))
        return before

    @view
    def strongest(self, actions: list[Action | None]) -> Action | None:
        attacks = [action for action in actions if isinstance(action, Attack)]
        return max(attacks, key=lambda attack: attack.power, default=None)


def require_other(is_other: bool, action: Attack) -> None:
    if not is_other:
        raise Refused(action)


@pytest.fixture
def arena(chain: Chain) -> Handle[Arena]:
    return chain.deploy(Arena)


def test_a_contract_keeps_and_matches_them(chain: Chain, arena: Handle[Arena]) -> None:
    alice, bob = chain.accounts[:2]
    zero = Attack(Address(bytes(20)), 0)  # the first, all zero
    assert (arena.fields.last, arena.fields.next, arena.fields.plan) == (zero, Rest(), None)
    long = Say("word " * 20, (1, 2, 3))
    steps: list[Action] = [Attack(bob, 3), long, Say("a"), Rest(), Attack(bob)]
    before: Action = zero
    for action in steps:
        receipt = arena.act(action)
        assert (receipt.return_value, receipt.args) == (before, {"action": action})
        assert (arena.fields.last, arena.fields.by_player[alice]) == (action, action)
        assert receipt.events == [Acted(alice, action)]
        before = action
    assert arena.fields.turns == [Turn(3, Rest()), Turn(1, Attack(bob))]
    assert arena.fields.plan is None
    actions = [None, Rest(), Attack(bob, 2), Attack(alice, 9)]
    assert arena.strongest(actions) == Attack(alice, 9)
    assert arena.strongest([Rest()]) is None
    # what is no longer used is zero again
    arena.act(long)
    used = len(chain.state.storages[arena.address])
    arena.act(Rest())
    assert len(chain.state.storages[arena.address]) < used - 4


def test_accounts_in_them_may_be_names(chain: Chain, arena: Handle[Arena]) -> None:
    receipt = arena.act(Attack("bob", 2))  # type: ignore[arg-type]
    assert receipt.args["action"] == Attack(chain.accounts[1], 2)


def test_they_are_read_in_words(chain: Chain, arena: Handle[Arena]) -> None:
    arena.act(Attack(chain.accounts[1], 2))
    writes = {str(write) for write in arena.act(Rest()).writes}
    changed = {
        "Arena.last: Attack(target=bob, power=2) -> Rest()",
        "Arena.by_player[alice]: Attack(target=bob, power=2) -> Rest()",
        "Arena.turns[0].action: Attack(target=bob, power=2) -> Rest()",
    }
    assert writes == changed
    with reverts("Refused(action=Attack(target=alice, power=1))"):
        arena.act(Attack(chain.accounts[0]))


@pytest.mark.parametrize(
    ("action", "wrong"),
    [
        (5, "action = 5 is not Attack | Say | Rest"),
        (Turn(1, Rest()), r"action = Turn\(.*\) is not Attack | Say | Rest"),
        (Say(b"x"), "action.words = b'x' is not str"),  # type: ignore[arg-type]
    ],
)
def test_others_are_refused(arena: Handle[Arena], action: Any, wrong: str) -> None:
    with pytest.raises((TypeError, Reverted), match=wrong):
        arena.act(action)


def test_in_the_abi_it_is_a_number_and_each_record(chain: Chain, arena: Handle[Arena]) -> None:
    data = arena.act.calldata(Attack(chain.accounts[1], 2))
    form = "(uint8,(address,uint8),(string,uint8[]))"
    assert data[:4] == keccak(f"act({form})".encode())[:4]
    bob = str(chain.accounts[1].address).lower()
    assert decode_abi([form], data[4:]) == ((0, (bob, 2), ("", ())),)
    head = data[:4] + (32).to_bytes(32)
    third = chain.send(arena, head + (3).to_bytes(32) + bytes(200))
    assert "action: 3 is none of the 3 kinds of Attack | Say | Rest" in str(third.error)
    inside_the_head = [1, 64, 128, 32, int.from_bytes(b"x" * 32), 0]
    data = b"".join(word.to_bytes(32) for word in inside_the_head)
    overlapping = chain.send(arena, head + data)
    assert "action: its data overlap the data before them" in str(overlapping.error)


TYPED = [
    ({"Attack": {"target": "bob"}}, {"Attack": {"target": "BOB", "power": 1}}),
    ({"Say": ["hi", [1]]}, {"Say": {"words": "hi", "marks": [1]}}),
    ("Rest", {"Rest": {}}),
    ({"Rest": {}}, {"Rest": {}}),
]


@pytest.mark.parametrize(("typed", "shown"), TYPED)
def test_json_names_the_record(chain: Chain, arena: Handle[Arena], typed: Any, shown: Any) -> None:
    arena.act(Attack(chain.accounts[1], 2))
    message = {"to": str(arena.address), "entry": "act", "args": {"action": typed}}
    sent = chain.node.request("chain_send", [message])
    if "Attack" in shown:
        shown["Attack"]["target"] = str(chain.accounts[1].address)
    assert sent["args"] == {"action": shown}
    assert sent["logs"][-1]["fields"]["action"] == shown
    with pytest.raises(Exception, match=r"is not Attack \| Say \| Rest"):
        chain.node.request("chain_send", [{**message, "args": {"action": {"power": 1}}}])


def test_sql_and_queries_and_pages_know_them(chain: Chain, arena: Handle[Arena]) -> None:
    arena.act(Attack(chain.accounts[1], 7))
    arena.act(Rest())
    asked = chain.sql("select json_extract(action, '$.Attack.power') from Acted order by log")
    assert [tuple(row) for row in asked] == [(7,), (None,)]
    assert [each.action for each in chain.events(Acted, action=Rest())] == [Rest()]
    page = Visitor(chain).get(
        "/contract/Arena/strongest?a.actions=%5B%7B%22Rest%22:%7B%7D%7D%5D&try=1"
    )
    assert "None" in page.text


def test_fuzzing_draws_each_of_them() -> None:
    draw = values(Arena.__spec__.entries["act"].params[0].kind)
    assert {type(draw(Random(seed))) for seed in range(40)} == {Attack, Say, Rest}


def test_a_file_knows_them_without_the_class(tmp_path: Any) -> None:
    file = tmp_path / "arena.chain"
    with Chain.open(file) as chain:
        arena = chain.deploy(Arena)
        arena.act(Say("x", (1,)))
    with Chain.open(file) as chain:
        assert "Arena.act(Say(words='x', marks=(1,)))" in chain.activity()


# Records as keys


class Spot(NamedTuple):
    x: u8
    y: u8


@dataclass(frozen=True)
class Side:
    spot: Spot
    owner: Address | None


@model
class Tile:
    spot: Key[Spot]
    side: Key[Side | Rest]
    path: Key[tuple[u8, ...]]
    wear: u64


@event
class Worn:
    side: Key[Side]
    by: u64


class Wearing(System):
    @call
    def wear(self, spot: Spot, side: Side | Rest) -> u64:
        tile = self.world.read(Tile, spot, side, (1, 2))
        tile.wear += 1
        self.world.write(tile)
        return tile.wear


class Shelf(Contract):
    places: dict[Side, u8]
    seen: Set[Spot]
    worn: Map[Side, IterableMap[Spot, u8]]

    @call
    def put(self, side: Side) -> bool:
        self.places[side] = 5
        self.seen.add(side.spot)
        self.worn[side][side.spot] = 7
        self.emit(Worn(side, 3))
        return side in self.places and Spot(9, 9) not in self.seen


def test_a_model_has_records_as_keys(chain: Chain) -> None:
    world = chain.deploy_world("w", systems=[Wearing], writers={"w": [Wearing]})
    wearing, alice = world.system(Wearing), chain.accounts[0]
    keys = Spot(1, 2), Side(Spot(3, 4), alice), (1, 2)
    wearing.wear(*keys[:2])
    assert wearing.wear(*keys[:2]).return_value == 2
    wearing.wear(Spot(1, 2), Rest())
    assert world.read(Tile, *keys) == Tile(*keys, 2)
    assert world.read(Tile, Spot(1, 2), Side(Spot(3, 4), "alice"), (1, 2)).wear == 2  # type: ignore[arg-type]
    assert [each.wear for each in world.all(Tile)] == [2, 1]
    versions = [version.value for version in world.history(Tile, *keys)]
    assert versions == [Tile(*keys, 1), Tile(*keys, 2)]
    with chain.setting():
        world.write(Tile(*keys, 40))
    assert wearing.wear(*keys[:2]).return_value == 41
    row = "select wear, json_extract(spot, '$.y'), side from Tile order by wear"
    assert next(map(tuple, chain.sql(row))) == (1, 2, '{"Rest":{}}')
    written = str(wearing.wear(*keys[:2]).writes[-1])
    side = "Side(spot=Spot(x=3, y=4), owner=alice)"
    assert written == f"Tile(Spot(x=1, y=2), {side}, (1, 2)).wear: 41 -> 42"


def test_fields_and_events_have_records_as_keys(chain: Chain) -> None:
    shelf, bob = chain.deploy(Shelf), chain.accounts[1]
    side = Side(Spot(1, 2), bob)
    receipt = shelf.put(side)
    assert receipt.return_value is True
    assert (shelf.fields.places[side], [*shelf.fields.worn[side]]) == (5, [Spot(1, 2)])
    words = [1, 2, 1, int.from_bytes(bob)]  # as Solidity hashes an indexed struct
    hashed = keccak(b"".join(word.to_bytes(32) for word in words))
    assert receipt.logs[0].row[1][1] == int.from_bytes(hashed)
    assert receipt.events == [Worn(side, 3)]
    shelf.put(Side(Spot(1, 2), None))
    assert [each.side.owner for each in chain.events(Worn, side=side)] == [bob]
    text = "Side(spot=Spot(x=1, y=2), owner=bob)"
    assert f"{text} in Shelf.places: False -> True" in [*map(str, receipt.writes)]


def test_accounts_in_a_key_may_be_names(chain: Chain) -> None:
    chain.deploy(Shelf).put(Side(Spot(1, 2), chain.accounts[1]))
    named = Side(Spot(1, 2), "bob")  # type: ignore[arg-type]
    assert chain.events(Worn, side=named).count() == 1
