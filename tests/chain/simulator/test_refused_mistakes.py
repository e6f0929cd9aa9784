"""Mistakes that once passed silently, or with a message of Python's own, and now have a message of ours."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import Any

import pytest

import chain as public
from chain import Chain, Contract, Reverted, call, event, require, reverts, view
from chain.replays import record, replay
from chain.simulator.handle import Handle
from chain.types import u8


@event
class Rang:
    times: u8


class Bell(Contract):
    times: u8

    @call
    def ring(self) -> None:
        self.times += 1
        self.emit(Rang(self.times))

    @call
    def log_number(self) -> None:
        self.log(5)  # type: ignore[arg-type]

    @view
    def log_number_in_view(self) -> None:
        self.log(5)  # type: ignore[arg-type]

    @call
    def hash_text(self) -> None:
        self.keccak("abc")  # type: ignore[arg-type]

    @call
    def emit_number(self) -> None:
        self.emit(5)

    @call
    def emit_class(self) -> None:
        self.emit(Rang)

    @call
    def require_pair(self) -> None:
        pair = (self.times > 5, "it rang often")
        require(pair, "no")

    @call
    def require_method(self) -> None:
        require(self.is_loud, "no")

    @call
    def require_generator(self) -> None:
        loud = (times > 5 for times in [self.times])
        require(loud, "no")

    @call
    def give_no_text(self) -> None:
        require(self.times > 5, 5)  # type: ignore[arg-type]

    def is_loud(self) -> bool:
        return self.times > 5


@pytest.fixture
def bell(chain: Chain) -> Handle:
    return chain.deploy(Bell)


IN_CONTRACTS = {
    "log_number": "a log is a text, not 5: write an f-string, or emit an event",
    "log_number_in_view": "a log is a text, not 5: write an f-string, or emit an event",
    "hash_text": "keccak hashes bytes, not 'abc': write text.encode()",
    "emit_number": "5 is not an event: emit an instance of a class with @event",
    "emit_class": "Rang is the class of an event: emit an instance, Rang(…)",
    "require_pair": "require needs a condition, and a pair of a condition and a text is always true",
    "require_method": "require needs a condition, and the function is_loud, uncalled, is always true",
    "require_generator": "require needs a condition, and a generator is always true",
    "give_no_text": "the second argument of require(condition, text) is a text, not 5",
}


@pytest.mark.parametrize("entry", IN_CONTRACTS)
def test_mistake_in_a_contract_is_a_sentence(bell: Handle, entry: str) -> None:
    with pytest.raises(Reverted) as caught:
        getattr(bell, entry)()
    failure = caught.value.error
    assert failure.text == f"TypeError: {IN_CONTRACTS[entry]}"
    assert failure.place.partition(":")[0].endswith("test_refused_mistakes.py")


def test_require_takes_what_may_be_false() -> None:
    for condition in (True, 3, "x", [0], (1, 2), ("a", "b"), (False,), {1: 2}, Rang(1)):
        require(condition, "never")


def test_keccak_is_public() -> None:
    assert public.keccak(b"").hex().startswith("c5d2460186f7233c")
    with pytest.raises(TypeError, match=r"^keccak hashes bytes, not 5: encode it first$"):
        public.keccak(5)  # type: ignore[arg-type]


# Handles


def set_field(bell: Any) -> None:
    bell.times = 5


def set_entry(bell: Any) -> None:
    bell.ring = 5


def set_address(bell: Any) -> None:
    bell.address = 5


@pytest.mark.parametrize("change", [set_field, set_entry, set_address])
def test_nothing_is_set_on_a_handle(bell: Handle, change: Callable[[Any], None]) -> None:
    with pytest.raises(AttributeError, match="cannot be set from outside: call an entry"):
        change(bell)


def set_through_fields(bell: Any) -> None:
    bell.fields.times = 5


def run_through_fields(bell: Any) -> None:
    bell.fields.ring()


@pytest.mark.parametrize("change", [set_through_fields, run_through_fields])
def test_fields_are_read_only(bell: Handle, change: Callable[[Any], None]) -> None:
    with pytest.raises(
        AttributeError, match=r"^storage of Bell cannot be changed through its fields"
    ):
        change(bell)
    assert bell.fields.times == 0


def test_nothing_is_set_on_a_world(chain: Chain) -> None:
    world: Any = chain.deploy_world("arcade", systems=[])
    with pytest.raises(AttributeError):
        world.score = 5


# Questions


MISTAKEN: list[tuple[dict[str, Any], str]] = [
    (
        {"entry": "rign"},
        "no contract on this chain has an entry 'rign'; there are emit_class, emit_number,",
    ),
    ({"contract": "Bel"}, "there is no contract 'Bel' on this chain; there are Bell, Bell#2"),
    ({"sender": None}, "sender = None is not an account: give an account, a handle"),
]


@pytest.mark.parametrize(("values", "text"), MISTAKEN)
def test_question_with_a_typo_is_refused(
    chain: Chain, bell: Handle, values: dict[str, Any], text: str
) -> None:
    chain.deploy(Bell)
    with pytest.raises(TypeError) as caught:
        chain.receipts.where(**values)
    assert str(caught.value).startswith(text)


def test_contract_of_events_with_a_typo_is_refused(chain: Chain, bell: Handle) -> None:
    with pytest.raises(
        TypeError, match=r"^there is no contract 'Bel' on this chain; there are Bell$"
    ):
        chain.events(Rang).by_contract("Bel")


def test_contract_is_found_by_its_shown_name(chain: Chain, bell: Handle) -> None:
    second = chain.deploy(Bell)
    for times, handle in ((1, bell), (2, second)):
        for _ in range(times):
            handle.ring()
    assert chain.receipts.where(entry="ring", contract="Bell").count() == 3
    assert chain.receipts.where(entry="ring", contract="Bell#2").count() == 2
    assert chain.events(Rang).by_contract("Bell#2").count() == 2


def test_receipts_are_counted_like_any_answer(chain: Chain, bell: Handle) -> None:
    bell.ring()
    assert chain.receipts.count() == chain.receipts.where().count() == 2
    assert chain.receipts.count(chain.receipts[0]) == 1


# Accounts


def test_well_known_name_is_that_account(chain: Chain, bell: Handle) -> None:
    bob = chain.account("bob")
    assert bob is chain.accounts[1]
    assert chain.account("bob.testnet") != bob
    bell.ring(sender=bob)
    assert "bob: Bell.ring()" in chain.activity()
    assert chain.balance(bob) < 10_000 * 10**18


# Scopes


def block(chain: Chain) -> None:
    chain.block()


def anchor(chain: Chain) -> None:
    chain.anchor()


def loaded(chain: Chain) -> None:
    chain.loaded(die=[1])


def expect(_: Chain) -> None:
    reverts("no")


@pytest.mark.parametrize("work", [block, anchor, loaded, expect])
def test_scope_without_with_warns(chain: Chain, work: Callable[[Chain], None]) -> None:
    with pytest.warns(RuntimeWarning, match=r"does nothing by itself: write 'with \w+\(…\):'$"):
        work(chain)


def test_scope_is_a_decorator_too(chain: Chain, bell: Handle) -> None:
    @reverts("a log is a text")
    def work() -> None:
        bell.log_number()

    work()
    work()


# What is asked for and is not there


def answer_at(chain: Chain, key: Any) -> Any:
    return chain.receipts[-1].events[key]


def block_at(chain: Chain, key: Any) -> Any:
    return chain.blocks[key]


NOT_THERE: list[tuple[Callable[[Chain, Any], Any], Any, type[Exception], str]] = [
    (answer_at, 9, IndexError, "there is no event 9: there are 1"),
    (answer_at, None, TypeError, "None is not an event: pass its class or its name"),
    (
        lambda chain, key: chain.receipts.where(ok=True)[key],
        9,
        IndexError,
        "there is no result 9: there are 2",
    ),
    (block_at, 99, IndexError, "there is no block 99: the last is 2"),
    (block_at, "x", TypeError, "'x' is not the number of a block"),
]


@pytest.mark.parametrize(("ask", "key", "wrong", "text"), NOT_THERE)
def test_what_is_not_there_is_reported(
    chain: Chain, bell: Handle, ask: Callable[[Chain, Any], Any], key: Any, wrong: type[Exception], text: str
) -> None:  # fmt: skip
    bell.ring()
    with pytest.raises(wrong) as caught:
        ask(chain, key)
    assert str(caught.value) == text


def test_missing_snapshot_is_refused_on_a_node_too(chain: Chain) -> None:
    for each in (chain, Chain.connect(chain.node)):
        with pytest.raises(
            TypeError, match=r"^None is not a snapshot: pass a result of chain\.snapshot"
        ):
            each.revert(None)  # type: ignore[arg-type]


def test_replay_takes_a_text_and_a_list_of_contracts(chain: Chain) -> None:
    with pytest.raises(TypeError, match=r"^the transcript = 5 is not a text$"):
        replay(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^contracts = .* is not a list$"):
        replay(record(chain), contracts=Bell)  # type: ignore[arg-type]


def test_contract_beside_names_imported_by_star(tmp_path: Path) -> None:
    """What `from __future__ import annotations` leaves in a module comes with its other names."""
    path = tmp_path / "star.py"
    path.write_text(
        "from chain import *\nfrom chain.types import *\n\n\nclass Race(Contract):\n    square: u8\n\n"
        "    @call\n    def roll(self) -> None:\n        self.square += 1\n\n\n"
        "Chain().deploy(Race).roll()\n"
    )
    subprocess.run([sys.executable, str(path)], check=True)


@pytest.mark.parametrize("name", ["autmine", "timestamp", "interval"])
def test_nothing_but_what_a_chain_has_can_be_set_on_it(chain: Chain, name: str) -> None:
    for each in (chain, chain.at(0), Chain.connect(chain.node)):
        with pytest.raises(AttributeError, match=name):
            setattr(each, name, False)


FINISHED: list[tuple[Callable[[Chain], Any], str]] = [
    (lambda chain: chain.receipts[-1], "gas_used"),
    (lambda chain: chain.receipts[-1], "note"),
    (lambda chain: chain.head, "timestamp"),
    (lambda chain: chain.blocks[1], "number"),
    (lambda chain: chain.mine(), "end_receipt"),
]


@pytest.mark.parametrize(("find", "name"), FINISHED)
def test_what_has_happened_cannot_be_set(
    chain: Chain, bell: Handle, find: Callable[[Chain], Any], name: str
) -> None:
    bell.ring()
    for each in (chain, Chain.connect(chain.node)):
        found = find(each)
        before = repr(found)
        with pytest.raises(AttributeError, match=name):
            setattr(found, name, 5)
        assert repr(copy(found)) == before


@pytest.mark.parametrize("name", ["append", "extend", "cut", "restore"])
def test_what_happened_is_not_offered_to_be_changed(chain: Chain, name: str) -> None:
    assert not hasattr(chain.receipts, name) and not hasattr(chain.blocks, name)


def test_first_and_last_of_all_receipts(chain: Chain, bell: Handle) -> None:
    receipt = bell.ring()
    assert [chain.receipts.first(), chain.receipts.last()] == [chain.receipts[0], receipt]
    assert Chain().receipts.last() is None
