"""A change of a value: it writes what storing the new value writes, and only where the two differ."""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chain import abi
from chain.types import i8, u8, u256
from chain.values import ValueType
from chain.values.annotations import type_of_annotation
from tests.chain.storage.bare_storage import WHO, Player, Stone, Words

LONG = "a text of more than thirty-one bytes, which goes elsewhere"


@given(st.data())
def test_change_writes_no_misfit(drawn: Any, data: st.DataObject) -> None:
    kind, value = data.draw(drawn.typed)
    bad, _ = data.draw(drawn.spoiled(kind, value))
    words, layout = Words(), kind
    layout.store(words, 0, value)
    before = dict(words.words)
    with suppress(
        abi.ValueMismatch
    ):  # what equals the value that is there, as 0 does False, is not looked at
        layout.change(words, 0, value, bad)
    assert words.words == before


@dataclass(frozen=True)
class Spot:
    x: i8
    owner: u8


@dataclass(frozen=True)
class Pile:
    first: u256
    marks: tuple[u8, ...]
    stone: Stone


@dataclass(frozen=True)
class Desk:
    number: u256
    pile: Pile
    title: str


@dataclass(frozen=True)
class Room:
    width: u256
    desk: Desk
    other: tuple[Pile, u8]
    height: u8


@given(st.data())
def test_change_writes_what_storing_writes(drawn: Any, data: st.DataObject) -> None:
    kind, before = data.draw(drawn.typed)
    check_change(kind, before, data.draw(drawn.values_of(kind)))


def test_change_of_records_in_records_writes_what_storing_writes() -> None:
    old, new = Pile(1, (2, 3), Stone((4, 5), 6)), Pile(7, (2,), Stone((-4, 5), 8))
    before = Room(9, Desk(10, old, "a"), (old, 11), 12)
    for after in (
        Room(9, Desk(10, new, "a"), (old, 11), 12),
        Room(13, Desk(14, old, "b" * 40), (new, 11), 12),
        Room(9, Desk(10, replace(old, stone=new.stone), "a"), (old, 15), 16),
    ):
        check_change(type_of_annotation(Room), before, after)


def check_change(kind: ValueType, before: object, after: object) -> None:
    """Check that a change writes the words that storing the new value does."""
    changed, stored, layout = Words(), Words(), kind
    layout.store(changed, 0, before)
    layout.store(stored, 0, before)
    layout.change(changed, 0, before, after)
    layout.store(stored, 0, after)
    assert changed.words == stored.words


def test_change_touches_what_differs_only() -> None:
    class Watched(Words):
        def sstore(self, slot: int, word: int) -> None:
            super().sstore(slot, word)
            touched.append(slot)

    touched: list[int] = []
    words, layout = Watched(), type_of_annotation(Player)
    before = Player(WHO, LONG, 7, [1, 2, 3])
    layout.store(words, 0, before)
    touched.clear()
    layout.change(words, 0, before, Player(WHO, before.name, 8, before.hand))
    assert touched == [2]


@given(st.data())
def test_equal_value_changes_nothing(drawn: Any, data: st.DataObject) -> None:
    kind, value = data.draw(drawn.typed)

    class Sealed(Words):
        def sstore(self, slot: int, word: int) -> None:
            raise AssertionError(slot)

    words, layout = Words(), kind
    layout.store(words, 0, value)
    sealed = Sealed()
    sealed.words = words.words
    layout.change(sealed, 0, value, deepcopy(value))
