"""The members of an event that a table shows are those of the event itself, also if the author's code runs when it is made."""

from __future__ import annotations

from typing import Any

import pytest

from chain import Key, event
from chain.ledger.event_types import decoded, decoded_members
from chain.types import u64


@event
class Plain:
    left: u64
    right: Key[u64]


@event
class Named:
    name: Key[str]
    count: u64


@event
class Doubled:
    count: u64

    def __post_init__(self) -> None:
        object.__setattr__(self, "count", self.count * 2)


@event
class Small:
    count: u64

    def __post_init__(self) -> None:
        if self.count > 5:
            raise ValueError


def log(spec: Any, shown: Any) -> tuple[Any, ...]:
    topics, data, kept = spec.encode(shown)
    return b"a" * 20, topics, data, kept, b"d" * 32


@pytest.mark.parametrize("shown", [Plain(1, 7), Named("x", 3), Doubled(4), Small(5)])
def test_members_are_those_of_the_event(shown: Any) -> None:
    spec = type(shown).__event__
    made = decoded(log(spec, shown), spec)
    assert made is not None
    assert list(decoded_members(log(spec, shown), spec) or ()) == [*vars(made).values()]


def test_members_are_in_the_order_of_the_event() -> None:
    spec: Any = Plain.__event__  # type: ignore[attr-defined]
    assert list(decoded_members(log(spec, Plain(1, 7)), spec) or ()) == [1, 7]


@pytest.mark.parametrize("kind", [Plain, Small])
@pytest.mark.parametrize("data", [b"", b"\1" * 32, (9).to_bytes(32)])
def test_log_without_the_event_has_no_members(kind: Any, data: bytes) -> None:
    spec = kind.__event__
    row = (b"a" * 20, (spec.topic,), data, None, b"d" * 32)
    assert decoded(row, spec) is None is decoded_members(row, spec)
