"""The ABI codec: equal to eth-abi, safe with any bytes, exact about what does not fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import eth_abi
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain import abi
from chain.types import Address, bytes4, felt252, i8, i64, i128, u8, u16, u64, u128, u256
from chain.values import (
    EnumType,
    Field,
    ListType,
    OptionalType,
    StructType,
    UnionType,
    ValueType,
    accepts,
)
from chain.values.annotations import type_of_annotation
from tests.chain.storage.bare_storage import Words
from tests.chain.toys import Side, Spot

KNOWN = {
    "u8": (u8, 7, "00" * 31 + "07"),
    "i8": (i8, -1, "ff" * 32),
    "i128": (i128, -2, "ff" * 31 + "fe"),
    "felt252": (felt252, 2**251, "08" + "00" * 31),
    "bool": (bool, True, "00" * 31 + "01"),
    "address": (Address, Address(b"\x11" * 20), "00" * 12 + "11" * 20),
    "bytes4": (bytes4, b"abcd", "61626364" + "00" * 28),
    "text": (str, "hi", "00" * 31 + "02" + "6869" + "00" * 30),
    "option": (u8 | None, 3, "00" * 31 + "01" + "00" * 31 + "03"),
    "absent": (u64 | None, None, "00" * 64),
    "list": (list[u16], [1, 2], "00" * 31 + "02" + "00" * 31 + "01" + "00" * 31 + "02"),
}


def word(number: int) -> bytes:
    return number.to_bytes(32, signed=number < 0)


def plain(kind: ValueType, value: Any) -> Any:
    """`value` as eth-abi takes it."""
    match kind:
        case EnumType():
            return kind.code_of[value]
        case OptionalType(item=item):
            return (False, nothing(item)) if value is None else (True, plain(item, value))
        case UnionType(variants=variants):
            shown = [plain(v, value) if value.__class__ is v.cls else nothing(v) for v in variants]
            number = kind.by_class[value.__class__][0]
            return number, *[each for each, v in zip(shown, variants, strict=True) if v.members]
        case ListType(item=item):
            return [plain(item, each) for each in value]
        case StructType(members=members, cls=cls):
            parts = [getattr(value, m.name) for m in members] if cls else value
            return tuple(plain(m.kind, part) for m, part in zip(members, parts, strict=True))
        case _:
            return value


def nothing(kind: ValueType) -> Any:
    """Return the encoding of an absent value: zero, even if no member of an Enum has that code."""
    match kind:
        case EnumType():
            return 0
        case OptionalType(item=item):
            return False, nothing(item)
        case UnionType(variants=variants):
            return 0, *[nothing(variant) for variant in variants if variant.members]
        case StructType(members=members):
            return tuple(nothing(member.kind) for member in members)
        case _:
            return plain(kind, kind.zero)


def weight(value: Any) -> int:
    """Return the smallest number of bytes that can hold `value`."""
    if isinstance(value, str | bytes):
        return len(value.encode() if isinstance(value, str) else value)
    if isinstance(value, list | tuple):
        return sum(map(weight, value))
    parts = getattr(value, "__dataclass_fields__", None)
    return sum(weight(getattr(value, name)) for name in parts) if parts else 32


@pytest.mark.parametrize("name", KNOWN)
def test_bytes_are_these(name: str) -> None:
    annotation, value, expected = KNOWN[name]
    assert type_of_annotation(annotation).encode(value).hex() == expected


@given(st.data())
def test_encoding_equals_eth_abi(drawn: Any, data: st.DataObject) -> None:
    kind, value = data.draw(drawn.typed)
    expected = eth_abi.encode([kind.abi_type], [plain(kind, value)])
    assert StructType("", (Field("value", kind),)).encode((value,)) == expected


def test_tails_of_records_in_records_equal_eth_abi() -> None:
    inner = tuple[str, u8, bytes, list[str]]
    kind = type_of_annotation(tuple[str, inner, tuple[u8, tuple[bytes, u8]], inner | None, str])
    short: Any = ("", 1, b"ab", ["c", "d" * 33])
    long: Any = ("e" * 32, 2, b"f" * 31, [])
    for value in (
        ("g", short, (3, (b"h", 4)), long, "i" * 40),
        ("j" * 64, long, (5, (b"", 6)), short, ""),
    ):
        expected = eth_abi.encode([kind.abi_type], [plain(kind, value)])
        assert StructType("", (Field("value", kind),)).encode((value,)) == expected


class Level(IntEnum):
    HIGH = 3


OCTETS = st.integers(-1, 256) | st.sampled_from([True, None, 1.0, "1", Level.HIGH])
PAIRS = st.lists(OCTETS, min_size=1, max_size=3).flatmap(lambda of: st.sampled_from([of, (*of,)]))


@given(st.lists(OCTETS) | st.lists(st.integers(0, 255)), st.sampled_from([list, tuple, iter]))
def test_list_of_u8_is_encoded_as_any_list(values: list[Any], form: Callable[[Any], Any]) -> None:
    check_octets(list[u8], form(values))


@given(st.lists(PAIRS | st.tuples(st.integers(0, 255), st.integers(0, 255))) | OCTETS)
def test_list_of_pairs_of_u8_is_encoded_as_any_list(values: Any) -> None:
    check_octets(list[tuple[u8, u8]], values)


@dataclass(frozen=True)
class Step:
    square: tuple[i8, i8]
    count: u8


SQUARES = st.tuples(*[st.integers(-128, 127) | OCTETS] * 2) | PAIRS
NEAR = st.builds(Step, st.tuples(*[st.integers(0, 130)] * 2), st.integers(0, 255))
STEPS = st.lists(st.builds(Step, SQUARES, OCTETS) | OCTETS) | st.lists(NEAR)


@given(STEPS | STEPS.map(tuple) | OCTETS)
def test_list_of_records_of_octets_is_encoded_as_any_list(values: Any) -> None:
    check_octets(list[Step], values)


@given(st.lists(st.tuples(st.integers(-2, 128), st.booleans() | st.integers(0, 1))))
def test_list_of_other_records_is_encoded_as_any_list(values: Any) -> None:
    check_octets(list[tuple[i8, bool]], values)


def check_octets(annotation: Any, values: object) -> None:
    """Check that all items at once are encoded as they are one by one, or refused in the same words."""
    kind = type_of_annotation(annotation)
    item = kind.item if isinstance(kind, ListType) else kind

    def encode_one_by_one(values: Any) -> bytes:
        if not isinstance(values, list | tuple):
            raise abi.explain_mismatch(kind, values)
        try:
            return word(len(values)) + b"".join([item.encode(value) for value in values])
        except abi.ValueMismatch as wrong:
            raise abi.explain_mismatch(kind, values, wrong) from None

    assert outcome(kind.encode, values) == outcome(encode_one_by_one, values)


def outcome(encode: Callable[[object], bytes], value: object) -> bytes | str:
    try:
        return encode(value)
    except abi.ValueMismatch as wrong:
        return wrong.text


class Indexable:
    def __index__(self) -> int:
        return 1


@given(st.data())
def test_codecs_refuse_numbers_that_do_not_fit(drawn: Any, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(drawn.scalars[:13]))
    edges = [kind.lowest - 1, kind.lowest, kind.highest, kind.highest + 1, True, 1.0, "1", None]
    number = data.draw(st.sampled_from([*edges, Level.HIGH, Indexable(), 2**300]))
    pair, numbers = StructType("", (Field("", kind), Field("", kind))), ListType(kind)
    for whole, value in ((kind, number), (pair, (kind.zero, number)), (numbers, [0, number])):
        for pack in (whole.encode, storing(whole)):
            assert is_taken(pack, value) == accepts(kind, number)
    option = OptionalType(kind)
    for pack in (option.encode, storing(option)):
        assert is_taken(pack, number) == (number is None or accepts(kind, number))


def storing(kind: ValueType) -> Callable[[object], object]:
    return lambda value: kind.store(Words(), 0, value)


def is_taken(pack: Callable[[object], object], value: object) -> bool:
    try:
        pack(value)
    except abi.ValueMismatch:
        return False
    return True


@given(st.data())
def test_topic_is_word_of_key(drawn: Any, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(drawn.scalars))
    value = data.draw(drawn.values_of(kind))
    expected = int.from_bytes(kind.encode(value))
    assert abi.topic_encoder(kind)(value) == expected
    assert abi.topic_encoder(kind)(bytes(value) if isinstance(value, bytes) else value) == expected


def test_text_of_own_class_is_encoded_as_it_is() -> None:
    class Shouted(str):
        def __hash__(self) -> int:
            return hash("quiet")

        def __eq__(self, other: object) -> bool:
            return True

    encode = StructType("", (Field("", type_of_annotation(str)),)).encode
    quiet = encode(("quiet",))
    assert encode((Shouted("LOUD"),)) == encode(("LOUD",)) != quiet


@given(st.data())
def test_decoding_gives_value_back(drawn: Any, data: st.DataObject) -> None:
    kind, value = data.draw(drawn.typed)
    encoded = StructType("", (Field("value", kind),)).encode((value,))
    assert abi.decode(kind, encoded) == value
    assert abi.decode_members((Field("value", kind),), b"abcd" + encoded, 4) == (value,)


@given(st.data())
def test_absent_values_take_no_more_bytes_than_zero(drawn: Any, data: st.DataObject) -> None:
    kind = data.draw(drawn.kinds.filter(lambda kind: not isinstance(kind, OptionalType)))
    [encoded] = [eth_abi.encode([kind.abi_type], [nothing(kind)])]
    assert encoded.endswith(kind.blank)


@given(st.data())
def test_spoiled_bytes_are_bad_data_or_values(drawn: Any, data: st.DataObject) -> None:
    kind, value = data.draw(drawn.typed)
    raw = bytearray(StructType("", (Field("value", kind),)).encode((value,)))
    for _ in range(data.draw(st.integers(1, 3))):
        at = 32 * data.draw(st.integers(0, len(raw) // 32 - 1))
        raw[at : at + 32] = data.draw(
            st.sampled_from(HOSTILE) | st.binary(min_size=32, max_size=32)
        )
    check_reading(kind, bytes(raw[: data.draw(st.integers(0, len(raw)) | st.just(len(raw)))]))


@given(st.data())
def test_random_bytes_are_bad_data_or_values(drawn: Any, data: st.DataObject) -> None:
    words = st.lists(st.sampled_from(HOSTILE), max_size=12).map(b"".join)
    check_reading(data.draw(drawn.kinds), data.draw(words | st.binary(max_size=200)))


HOSTILE = [word(n) for n in (0, 1, 2, 3, 31, 32, 33, 64, 96, 128, 255, 256, 2**64, 2**255, -1, -32)]


def check_reading(kind: ValueType, raw: bytes) -> None:
    """Check that the data is refused with a reason, or that its value can be encoded in as many bytes."""
    value, said = None, ""
    try:
        value = abi.decode(kind, raw)
    except abi.BadData as bad:
        said = bad.text
    if said:
        assert "cannot be read" not in said
        return
    assert weight(value) <= len(raw) + 32
    assert abi.decode(kind, StructType("", (Field("", kind),)).encode((value,))) == value


@pytest.mark.parametrize("depth", [2, 3, 6])
def test_shared_tails_are_refused(depth: int) -> None:
    kind, row = (
        ListType(type_of_annotation(u8)),
        word(8) + 8 * word(32 * 8),
    )  # eight lists, all in one place
    for _ in range(depth):
        kind = ListType(kind)
    with pytest.raises(abi.BadData, match="overlap"):
        abi.decode(kind, word(32) + depth * row + word(0))


BAD: list[tuple[Any, bytes, str]] = [
    (u8, word(256), "256 does not fit u8 (0..255)"),
    (u8, word(-1), "-1 does not fit u8 (0..255)"),
    (i8, word(128), "128 does not fit i8 (-128..127)"),
    (i64, word(2**63), "9223372036854775808 does not fit i64 (-2^63..2^63-1)"),
    (u128, word(2**128), f"{2**128} does not fit u128 (0..2^128-1)"),
    (bool, word(2), "2 is not bool"),
    (Address, word(2**160), f"0x{'00' * 11}01{'00' * 20} is not an Address (20 bytes)"),
    (bytes4, b"abcde" + bytes(27), f"0x6162636465{'00' * 27} is not bytes4 (4 bytes)"),
    (str, word(32) + word(2) + b"\xff\xff" + bytes(30), "the text is not UTF-8"),
    (str, word(32) + word(65) + bytes(64), "64 bytes are too few, 65 are needed"),
    (u256, bytes(31), "31 bytes are too few, 32 are needed"),
    (list[u8], word(32) + word(2**200), "0 bytes are too few, 2^205 or more are needed"),
    (u8 | None, word(2) + word(1), "2 is not bool"),
    (str | None, word(32) + word(2) + word(64) + word(0), "2 is not bool"),
    (str | None, word(32) + word(1) + word(32) + word(0), "its data overlap the data before them"),
    (list[u8], word(0), "its data overlap the data before them"),
    (tuple[u8, list[u8 | None]], word(32) + word(1) + word(64) + word(1) + word(1) + word(300),
     "[1][0] = 300 does not fit u8 (0..255)"),
]  # fmt: skip


@pytest.mark.parametrize(("annotation", "raw", "text"), BAD, ids=range(len(BAD)))
def test_bad_data_is_explained(annotation: Any, raw: bytes, text: str) -> None:
    with pytest.raises(abi.BadData) as caught:
        abi.decode(type_of_annotation(annotation), raw)
    assert caught.value.text == text


def test_absent_value_may_be_anything() -> None:
    assert abi.decode(type_of_annotation(u8 | None), word(0) + word(2**255)) is None


def test_tail_may_come_after_gap() -> None:
    assert abi.decode(type_of_annotation(str), word(64) + word(99) + word(2) + b"hi") == "hi"


@given(st.data())
@settings(max_examples=200)
def test_misfit_names_path(drawn: Any, data: st.DataObject) -> None:
    kind, value = data.draw(drawn.typed)
    bad, path = data.draw(drawn.spoiled(kind, value))
    with pytest.raises(abi.ValueMismatch) as caught:
        kind.encode(bad)
    assert caught.value.path == path
    assert caught.value.text.startswith(f"{path} = " if path else "")


WIDE = [
    (u8, 300),
    (u8, -1),
    (i8, 128),
    (i8, 2**254),
    (felt252, 2**252),
    (u128, 2**128),
    (u64 | None, -5),
]


@pytest.mark.parametrize(("annotation", "value"), WIDE, ids=range(len(WIDE)))
def test_number_out_of_range_can_be_sent(annotation: Any, value: int) -> None:
    kind = type_of_annotation(annotation)
    with pytest.raises(abi.BadData, match=f"{value} does not fit"):
        abi.decode(kind, abi.widened(kind).encode(value))


@given(st.data())
def test_widened_number_is_read_as_itself_or_refused(drawn: Any, data: st.DataObject) -> None:
    kind, number = data.draw(st.sampled_from(drawn.scalars[:13])), data.draw(st.integers())
    try:
        encoded = abi.widened(kind).encode(number)
        assert abi.decode(kind, encoded) == number
    except (abi.ValueMismatch, abi.BadData):
        assert not kind.lowest <= number <= kind.highest


@pytest.mark.parametrize(
    ("kind", "spelled"),
    [
        (u8, "uint8"),
        (Address, "address"),
        (list[Address], "address[]"),
        (Side, "enum Side"),
        (Spot | None, "struct OptionalSpot"),
        (list[tuple[u8, list[bytes]]], "struct TupleUint8BytesArray[]"),
    ],
)
def test_internal_types_are_spelled_as_in_solidity(kind: Any, spelled: str) -> None:
    assert abi.json_type("it", type_of_annotation(kind))["internalType"] == spelled


def test_all_components_have_names() -> None:
    made = abi.json_type("it", type_of_annotation(tuple[u8, bool | None]))
    assert [part["name"] for part in made["components"]] == ["_0", "_1"]


def test_json_names_components() -> None:
    made = abi.json_type("move", type_of_annotation(tuple[u8, bool | None]))
    assert made["type"] == "tuple"
    assert [part["type"] for part in made["components"]] == ["uint8", "tuple"]
    assert [part["name"] for part in made["components"][1]["components"]] == ["exists", "value"]
