"""Mistakes that Python told in words of its own, and that are sentences now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chain import Chain, Contract, Reverted, assert_events, call, event, view
from chain.fuzz import Fuzz
from chain.handle import Handle
from chain.replays import record
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

    @view
    def answer_nothing(self) -> u8:
        pass

    @call
    def roll_in_vain(self) -> None:
        self.random.randint(1, 6)  # type: ignore[attr-defined]

    @call
    def ask_the_block(self) -> None:
        self.block.hash  # type: ignore[attr-defined]  # noqa: B018

    @call
    def read_number(self) -> None:
        self.times = bytes.fromhex("xy")[0]


@pytest.fixture
def bell(chain: Chain) -> Handle:
    return chain.deploy(Bell)


IN_CONTRACTS = {
    "roll_in_vain": "AttributeError: chance has no 'randint': write self.random.below(n),",
    "ask_the_block": "AttributeError: a block has no 'hash': it has number, timestamp and",
    "answer_nothing": "answer_nothing.result = None is not a whole number, as u8 is",
    "read_number": "ValueError: non-hexadecimal number",
}


@pytest.mark.parametrize("entry", IN_CONTRACTS)
def test_mistake_in_a_contract_has_its_line(bell: Handle, entry: str) -> None:
    with pytest.raises(Reverted) as caught:
        getattr(bell, entry)()
    failure = caught.value.error
    assert failure.text.startswith(IN_CONTRACTS[entry])
    assert failure.place.partition(":")[0].endswith("test_plain_errors.py")


class Odd(Fuzz):
    contracts = (5,)  # type: ignore[assignment]


class Single(Fuzz):
    contracts = Bell  # type: ignore[assignment]


MISTAKES: list[tuple[Callable[[Any], Any], str]] = [
    (lambda bell: Bell(), "Bell is not made by hand: chain.deploy(Bell) makes one on a chain"),
    (lambda bell: Chain.open("x", contracts=Bell), "contracts are a list: write contracts=[Bell]"),
    (lambda bell: Chain.connect(5), "5 is not a node: give its URL, or the node of a chain here"),
    (lambda bell: bell.chain.receipts[9], "there is no receipt 9: there are 1"),
    (lambda bell: bell.chain.receipts["ring"], "'ring' is not the number of a receipt"),
    (lambda bell: bell.chain.export_jsonl(5), "5 is neither a path nor an open file"),
    (lambda bell: record(bell), "is not a chain: only the play of a whole chain is recorded"),
    (lambda bell: Odd.run(max_examples=1), "5 is no contract: give a class"),
    (lambda bell: Single.run(max_examples=1), "contracts are a list: write contracts=[Bell]"),
    (lambda bell: assert_events(Rang, bell.ring()), "holds no events: give a receipt, a chain"),
    (lambda bell: assert_events(bell.ring(), (Rang, 5)), "expects no event: write (Moved, {"),
    (lambda bell: assert_events(bell.ring(), (Rang, {"n": 1})), "Rang has no field 'n': there is"),
]


@pytest.mark.parametrize(("work", "text"), MISTAKES)
def test_mistake_outside_is_a_sentence(bell: Handle, work: Callable[[Any], Any], text: str) -> None:
    with pytest.raises((TypeError, IndexError)) as caught:
        work(bell)
    assert text in str(caught.value)
