"""What went by without a word, or in a word of Python's own, and is a sentence now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import chain as public
from chain import Chain, Contract, Reverted, call, event, require, view
from chain.handle import Handle
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


class Mute(Contract):
    def ring(self) -> None:
        """Not an entry."""


@pytest.fixture
def bell(chain: Chain) -> Handle:
    return chain.deploy(Bell)


IN_CONTRACTS = {
    "log_number": "a log is a text, not 5: write an f-string, or emit an event",
    "log_number_in_view": "a log is a text, not 5: write an f-string, or emit an event",
    "hash_text": "keccak hashes bytes, not 'abc': write text.encode()",
    "emit_number": "5 is not an event: emit an instance of a class with @event",
    "emit_class": "Rang is the class of an event: emit one of it, Rang(…)",
    "require_pair": "require needs a condition, and a pair of a condition and a text is always true",
    "require_method": "require needs a condition, and the function is_loud, uncalled, is always true",
    "require_generator": "require needs a condition, and a generator is always true",
    "give_no_text": "the reason of a revert is a text, not 5",
}


@pytest.mark.parametrize("entry", IN_CONTRACTS)
def test_mistake_in_a_contract_is_a_sentence(bell: Handle, entry: str) -> None:
    with pytest.raises(Reverted) as caught:
        getattr(bell, entry)()
    failure = caught.value.error
    assert failure.text == f"TypeError: {IN_CONTRACTS[entry]}"
    assert failure.place.partition(":")[0].endswith("test_silences.py")


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


def test_handle_says_what_a_name_is(chain: Chain, bell: Handle) -> None:
    with pytest.raises(
        AttributeError, match=r"^Bell\.times is a field: read it as \.fields\.times$"
    ):
        _ = bell.times
    with pytest.raises(
        AttributeError, match="^Mute has no entry 'ring'; it has none: mark the method"
    ):
        chain.deploy(Mute).ring()
