"""Values in storage words: at Solidity's positions, without stale data, with neighbours untouched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain import Chain, Contract, abi, call
from chain.storage.fields import FieldsLayout
from chain.types import Address, bytes4, bytes32, felt252, i8, i16, u8, u16, u32, u64, u128, u256
from chain.values import Field, OptionalType, StructType
from chain.values.annotations import type_of_annotation
from tests.chain.storage.bare_storage import WHO, Player, Words


class Side(Enum):
    NONE = 0
    RED = 2


class Suit(Enum):
    CLUBS = 1
    HEARTS = 2


class Level(IntEnum):
    HIGH = 9


@dataclass(frozen=True)
class Square:
    x: u8
    y: u8


@dataclass(frozen=True)
class Move:
    to: Square
    joker: u8 | None
    side: Side
    at: u64


# The slots are written out from Solidity's rules: members from the low end of a word, none across its border, lists and texts
# by their length with the content at keccak(slot), shown here as 1000 and on.
PLACES: list[tuple[Any, Any, dict[int, str]]] = [
    (u8, 5, {0: "5"}),
    (i8, -1, {0: "ff"}),
    (i16, -2, {0: "fffe"}),
    (felt252, 2**251, {0: "8" + 62 * "0"}),
    (bool, True, {0: "1"}),
    (Side, Side.RED, {0: "2"}),
    (Suit, Suit.CLUBS, {0: "1"}),
    (Address, WHO, {0: "aa" * 20}),
    (bytes4, b"\x01\x02\x03\x04", {0: "1020304"}),
    (bytes32, b"\x12" * 32, {0: "12" * 32}),
    (u8 | None, None, {}),
    (u8 | None, 0, {0: "1"}),
    (u8 | None, 7, {0: "701"}),
    (u256 | None, 0, {0: "1"}),
    (u256 | None, 7, {0: "1", 1: "7"}),
    (tuple[u8, u16, u32], (1, 2, 3), {0: "3" + "0002" + "01"}),
    (tuple[u128, u128, u8], (1, 2, 3), {0: "2" + 31 * "0" + "1", 1: "3"}),
    (tuple[u8, u256, u8], (1, 2, 3), {0: "1", 1: "2", 2: "3"}),
    (tuple[Address, u64, u64], (WHO, 1, 2), {0: "1" + "aa" * 20, 1: "2"}),
    (tuple[u8, str, u8], (1, "hi", 3), {0: "1", 1: "6869" + 58 * "0" + "04", 2: "3"}),
    (str, "", {}),
    (str, "a" * 31, {0: "61" * 31 + "3e"}),
    (str, "a" * 32, {0: "41", 1000: "61" * 32}),
    (str, "a" * 33, {0: "43", 1000: "61" * 32, 1001: "61" + 62 * "0"}),
    (bytes, b"\0", {0: "2"}),
    (list[u8], [1, 2, 3], {0: "3", 1000: "30201"}),
    (list[u8], [0] * 32 + [9], {0: "21", 1001: "9"}),
    (list[u64], [1, 2, 3, 4, 5], {0: "5", 1000: f"4{3:016x}{2:016x}{1:016x}", 1001: "5"}),
    (list[Address], [WHO, WHO], {0: "2", 1000: "aa" * 20, 1001: "aa" * 20}),
    (list[tuple[u128, u256]], [(1, 2), (3, 4)], {0: "2", 1000: "1", 1001: "2", 1002: "3", 1003: "4"}),
    (Square, Square(1, 2), {0: "201"}),
    (Move, Move(Square(1, 2), 3, Side.RED, 4), {0: "4" + "02" + "0301" + "0201"}),
    (list[Square], [Square(1, 2), Square(3, 4)], {0: "2", 1000: "4030201"}),
    (Player, Player(WHO, "hi", 7, []), {0: "aa" * 20, 1: "6869" + 58 * "0" + "04", 2: "7"}),
    (Player | None, Player(WHO, "", 0, []), {0: "1", 1: "aa" * 20}),
]  # fmt: skip


@pytest.mark.parametrize(("annotation", "value", "expected"), PLACES, ids=range(len(PLACES)))
def test_words_are_these(annotation: Any, value: Any, expected: dict[int, str]) -> None:
    words = Words()
    type_of_annotation(annotation).store(words, 0, value)
    assert words.show() == expected


FIELDS: list[tuple[list[Any], list[tuple[int, int]]]] = [
    ([u8, u8, u256, u8], [(0, 0), (0, 8), (1, 0), (2, 0)]),
    ([Address, bool, Side, u64, u64], [(0, 0), (0, 160), (0, 168), (0, 176), (1, 0)]),
    ([u128, u128, u8], [(0, 0), (0, 128), (1, 0)]),
    ([u8, str, u8, list[u8], u8], [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0)]),
    ([u8 | None, u64 | None, u256 | None, u8], [(0, 0), (0, 16), (1, 0), (3, 0)]),
    ([bytes4, bytes32, bytes4], [(0, 0), (1, 0), (2, 0)]),
    ([u8, Player, u8], [(0, 0), (1, 0), (5, 0)]),
]


@pytest.mark.parametrize(("annotations", "expected"), FIELDS, ids=range(len(FIELDS)))
def test_members_are_at_these_offsets(
    annotations: list[Any], expected: list[tuple[int, int]]
) -> None:
    fields = FieldsLayout(
        [""] * len(annotations), [type_of_annotation(each) for each in annotations]
    )
    assert [(at.word, at.shift) for at in fields.places] == expected


@given(st.data())
def test_loads_what_was_stored(drawn: Any, data: st.DataObject) -> None:
    kind, value = data.draw(drawn.typed)
    words, layout = Words(), kind
    assert layout.load(words, 3) == kind.zero
    layout.store(words, 3, value)
    assert layout.load(words, 3) == value


@given(st.data())
def test_leaves_nothing_stale(drawn: Any, data: st.DataObject) -> None:
    kind, before = data.draw(drawn.typed)
    after, layout = data.draw(drawn.values_of(kind)), kind
    used, changed, fresh = Words(), Words(), Words()
    for words in (used, changed):
        layout.store(words, 3, before)
    layout.store(used, 3, after)
    layout.change(changed, 3, before, after)
    layout.store(fresh, 3, after)
    assert used.words == changed.words == fresh.words
    layout.clear(used, 3)
    assert used.words == {}


@given(st.data())
def test_neighbours_stay_untouched(drawn: Any, data: st.DataObject) -> None:
    kinds = data.draw(st.lists(drawn.kinds, min_size=2, max_size=6))
    fields = FieldsLayout([""] * len(kinds), list(kinds))
    accesses, words = [fields.accessors(i) for i in range(len(kinds))], Words()
    expected = [kind.zero for kind in kinds]
    for i in data.draw(st.lists(st.sampled_from(range(len(kinds))), max_size=8)):
        expected[i] = data.draw(drawn.values_of(kinds[i]))
        accesses[i][1](words, 5, expected[i])
        assert [load(words, 5) for load, _ in accesses] == expected
    fields.clear(words, 5)
    assert words.words == {}


@given(st.data())
def test_whole_record_and_its_members_agree(drawn: Any, data: st.DataObject) -> None:
    kinds = data.draw(st.lists(drawn.kinds, min_size=1, max_size=5))
    record = StructType(
        "",
        (Field("0", type_of_annotation(u256)), *(Field(str(i), k) for i, k in enumerate(kinds, 1))),
    )
    value = data.draw(drawn.values_of(record))
    whole, parts, layout = Words(), Words(), record
    layout.store(whole, 0, value)
    for i, part in enumerate(value):
        FieldsLayout.of(layout).accessors(i)[1](parts, 0, part)
    assert whole.words == parts.words


@given(st.data())
def test_misfit_writes_nothing(drawn: Any, data: st.DataObject) -> None:
    kind, value = data.draw(drawn.typed)
    bad, path = data.draw(drawn.spoiled(kind, value))
    words, layout = Words(), kind
    layout.store(words, 0, value)
    before = dict(words.words)
    with pytest.raises(abi.ValueMismatch) as caught:
        layout.store(words, 0, bad)
    assert (caught.value.path, words.words) == (path, before)


class Scratch(Contract):
    """Does with its frame what a test asks for."""

    @call
    def work(self) -> None:
        ASKED[-1](self._frame, 3)


ASKED: list[Callable[[Any, int], None]] = []  # each with a frame and a slot


@pytest.fixture
def chain() -> Chain:
    """Without a guard, for a contract that hands out its frame."""
    return Chain(guard=False)


def storing(layout: Any, value: object) -> Callable[[Any, int], None]:
    return lambda frame, slot: layout.store(frame, slot, value)


@given(st.data())
def test_real_frame_gives_same_words(drawn: Any, chain: Chain, data: st.DataObject) -> None:
    kind, before = data.draw(drawn.typed)
    after, layout = data.draw(drawn.values_of(kind)), kind
    bare, scratch = Words(), chain.deploy(Scratch)
    layout.store(bare, 3, after)
    for value in (before, after):
        ASKED[:] = [storing(layout, value)]
        scratch.work()
    assert chain.state.storages[scratch.address] == bare.words
    assert layout.load(scratch.fields._frame, 3) == after


def test_number_of_enum_is_stored_as_number() -> None:
    words = Words()
    # The double of sstore takes nothing else.
    type_of_annotation(u64).store(words, 0, Level.HIGH)
    assert words.show() == {0: "9"}


def test_unset_enum_without_zero_is_first_member() -> None:
    for kind in (
        type_of_annotation(Suit),
        type_of_annotation(tuple[u8, Suit]),
        type_of_annotation(tuple[u256, Suit]),
    ):
        assert kind.load(Words(), 0) == kind.zero
    assert type_of_annotation(Suit).zero is Suit.CLUBS


def test_option_of_packed_record_shares_word() -> None:
    fields = FieldsLayout(
        ["a", "b"],
        [OptionalType(type_of_annotation(Square)), type_of_annotation(u8)],
    )
    words, (_, store_option), (_, store_number) = Words(), fields.accessors(0), fields.accessors(1)
    store_number(words, 0, 0xEE)
    store_option(words, 0, Square(1, 2))
    assert words.show() == {0: "ee" + "0201" + "01"}
    store_option(words, 0, None)
    assert words.show() == {0: "ee000000"}
