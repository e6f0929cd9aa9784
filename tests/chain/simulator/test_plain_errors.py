"""Mistakes that Python reported in its own words now have our messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import pytest

from chain import Chain, Contract, Key, Reverted, System, assert_events, call, event, model, view
from chain.replays import record
from chain.simulator.handle import Handle
from chain.types import Address, u8


@event
class Rang:
    times: u8


@model
class Tree:
    id: Key[u8]
    height: u8


class Orchard(System):
    @call
    def write_with_a_typo(self) -> None:
        tree = self.world.read(Tree, 1)
        tree.hight = 5  # type: ignore[attr-defined]
        self.world.write(tree)

    @call
    def open_with_a_typo(self) -> None:
        with self.world.in_place(Tree, 1) as tree:
            tree.hight = 5  # type: ignore[attr-defined]

    @call
    def delete(self) -> None:
        self.world.delete(Tree(1, 0))  # type: ignore[attr-defined]


class Side(IntEnum):
    LEFT = 0


@dataclass(frozen=True)
class Die:
    face: u8


class Bell(Contract):
    times: u8
    hand: Die
    loud = 1

    @call
    def ring(self) -> None:
        self.times += 1
        self.emit(Rang(self.times))

    @view
    def answer_nothing(self) -> u8:
        return None  # type: ignore[return-value]  # the mistake

    @call
    def read_a_field(self, other: Address) -> u8:
        return self.at(Bell, other).times

    @call
    def call_an_address(self, other: Address) -> None:
        other.ring()  # type: ignore[attr-defined]

    @call
    def set_a_constant(self) -> None:
        self.loud = 2

    @call
    def set_in_a_value(self) -> None:
        self.hand.face = 3  # type: ignore[misc]

    @call
    def roll_in_vain(self) -> None:
        self.random.gauss(1, 6)  # type: ignore[attr-defined]

    @call
    def ask_the_block(self) -> None:
        self.block.hash  # type: ignore[attr-defined]  # noqa: B018

    @call
    def choose_a_side(self) -> None:
        Side(9)


@pytest.fixture
def bell(chain: Chain) -> Handle:
    return chain.deploy(Bell)


IN_CONTRACTS = {
    "read_a_field": "AttributeError: Bell.times is a field, not an entry: tests read it with handle.fields.times, other",
    "call_an_address": "AttributeError: an Address has no 'ring': self.at(Contract, address).ring is that of the",
    "set_a_constant": "AttributeError: Bell.loud is not a field, because it has no type: declare 'loud: u64', or",
    "set_in_a_value": "FrozenInstanceError: 'face' of a value cannot be set: assign a changed copy, dataclasses.replace(",
    "roll_in_vain": "AttributeError: self.random has no 'gauss': it has below, randint, randrange,",
    "ask_the_block": "AttributeError: a block has no 'hash': it has number, timestamp and",
    "answer_nothing": "answer_nothing.result = None is not a whole number, as u8 is",
    "choose_a_side": "ValueError: 9 is not a valid Side",
}


@pytest.mark.parametrize("entry", IN_CONTRACTS)
def test_mistake_in_a_contract_has_its_line(bell: Handle, entry: str) -> None:
    with pytest.raises(Reverted) as caught:
        getattr(bell, entry)(*[bell] * len(bell[entry].spec.params))
    failure = caught.value.error
    assert failure.text.startswith(IN_CONTRACTS[entry])
    assert failure.place.partition(":")[0].endswith("test_plain_errors.py")


IN_SYSTEMS = {
    "write_with_a_typo": "TypeError: 'hight' is not a member of Tree; its members are height",
    "open_with_a_typo": "TypeError: 'hight' is not a member of Tree; its members are height",
    "delete": "AttributeError: self.world has no 'delete'; it has address, change, emit, erase,",
}


@pytest.mark.parametrize("entry", IN_SYSTEMS)
def test_mistake_with_a_model_has_its_line(chain: Chain, entry: str) -> None:
    world = chain.deploy_world("arcade", systems=[Orchard], writers={Tree: [Orchard]})
    with pytest.raises(Reverted) as caught:
        getattr(world.system(Orchard), entry)()
    failure = caught.value.error
    assert failure.text.startswith(IN_SYSTEMS[entry])
    assert failure.place.partition(":")[0].endswith("test_plain_errors.py")
    assert world.all(Tree) == []


MISTAKES: list[tuple[Callable[[Any], Any], str]] = [
    (
        lambda bell: Bell(),
        "Bell cannot be instantiated directly: use chain.deploy(Bell)",
    ),
    (lambda bell: bell.chain.receipts[9], "there is no receipt 9: there are 1"),
    (lambda bell: bell.chain.receipts["ring"], "'ring' is not the number of a receipt"),
    (lambda bell: record(bell), "is not a chain: only whole chains can be recorded"),
    (
        lambda bell: bell.chain.deploy_world("arcade", systems=[Orchard, Orchard]),
        "Orchard is listed twice: a world has only one system of each name",
    ),
    (lambda bell: assert_events(bell.ring(), (Rang, {"n": 1})), "Rang has no field 'n': there is"),
    (
        lambda bell: bell.chain.deploy_world("arcade", systems=[], writers={Tree: [Orchard]}),
        "writers: Orchard is not among the systems",
    ),
    (
        lambda bell: bell.chain.contract(Bell),
        "a class may be deployed often: give the name, 'Bell'",
    ),
    (
        lambda bell: bell.chain.deploy(Orchard),
        "Orchard is a System: chain.deploy_world(…, systems=[Orchard]) deploys it",
    ),
    (
        lambda bell: bell.answer_nothing(check=False),
        "answer_nothing is a view, which has no receipt to return: answer_nothing.simulate(…) returns a failure",
    ),
]


@pytest.mark.parametrize(("work", "text"), MISTAKES)
def test_mistake_outside_is_a_sentence(bell: Handle, work: Callable[[Any], Any], text: str) -> None:
    with pytest.raises((TypeError, IndexError)) as caught:
        work(bell)
    assert text in str(caught.value)
