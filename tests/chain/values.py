"""Strategies for types of values, for values of a type, and for values that are almost of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import make_dataclass
from enum import Enum, IntEnum, StrEnum, auto
from functools import cache, partial
from typing import Any

from hypothesis import strategies as st

from chain import Address, types
from chain.values import (
    AddressType,
    BoolType,
    BytesType,
    EnumType,
    Field,
    FixedBytes,
    Int,
    ListType,
    OptionalType,
    StringType,
    StructType,
    UnionType,
    ValueType,
)
from chain.values.annotations import type_of_annotation


class Side(Enum):
    NONE = 0
    BLUE = 1
    RED = 2


class Suit(Enum):  # no member has the code 0
    CLUBS = auto()
    HEARTS = auto()


class Edge(IntEnum):
    CITY = 0
    ROAD = 7
    STREET = 7


class Mode(StrEnum):  # coded by place
    FAST = "fast"
    SLOW = "slow"


SCALARS = [
    type_of_annotation(annotation)
    for annotation in (
        *(types.u8, types.u16, types.u32, types.u64, types.u128, types.u256),
        *(types.i8, types.i16, types.i32, types.i64, types.i128, types.i256),
        *(types.felt252, types.bytes4, types.bytes32, bool, Address, Side, Suit, Edge, Mode),
    )
]


@cache
def record_of(kinds: tuple[ValueType, ...], is_class: bool) -> StructType:
    members = tuple(Field(f"m{i}" if is_class else str(i), kind) for i, kind in enumerate(kinds))
    if not is_class:
        return StructType("tuple", members)
    made = make_dataclass("Point", [member.name for member in members], frozen=True)
    return StructType("Point", members, made)


@cache
def union_of(shapes: tuple[tuple[ValueType, ...], ...]) -> UnionType:
    """One of several records with members of these kinds, perhaps of one without members."""
    variants = []
    for i, kinds in enumerate(shapes):
        members = tuple(Field(f"m{j}", kind) for j, kind in enumerate(kinds))
        made = make_dataclass(f"Case{i}", [member.name for member in members], frozen=True)
        variants.append(StructType(f"Case{i}", members, made))
    return UnionType(tuple(variants))


def composed(inner: st.SearchStrategy[ValueType]) -> st.SearchStrategy[ValueType]:
    return st.one_of(
        inner.filter(lambda kind: not isinstance(kind, OptionalType)).map(OptionalType),
        st.builds(ListType, inner, st.sampled_from([list, tuple])),
        st.builds(record_of, st.lists(inner, min_size=1, max_size=4).map(tuple), st.booleans()),
        st.builds(
            union_of,
            st.lists(st.lists(inner, max_size=2).map(tuple), min_size=2, max_size=3).map(tuple),
        ),
    )


@cache  # a strategy that was made again would be validated again
def values_of(kind: ValueType) -> st.SearchStrategy[Any]:
    """Values that fit `kind`, the ends of its range among them."""
    match kind:
        case Int(lowest=lowest, highest=highest):
            return st.integers(lowest, highest) | st.sampled_from([lowest, 0, highest])
        case FixedBytes(size=size):
            return st.binary(min_size=size, max_size=size)
        case BoolType():
            return st.booleans()
        case AddressType():
            return st.binary(min_size=20, max_size=20).map(Address)
        case EnumType(cls=cls):
            return st.sampled_from(list(cls))
        case StringType():
            return st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
        case BytesType():
            return st.binary(max_size=70)
        case OptionalType(item=item):
            return st.none() | values_of(item)
        case ListType(item=item, make=make):
            return st.lists(values_of(item), max_size=4).map(make)
        case UnionType(variants=variants):
            return st.one_of([values_of(variant) for variant in variants])
        case StructType(members=members, cls=cls):
            parts = st.tuples(*(values_of(member.kind) for member in members))
            return parts if cls is None else parts.map(lambda values: cls(*values))
    raise AssertionError(kind)


WRONG: dict[type, Callable[[Any], list[Any]]] = {
    Int: lambda kind: [kind.lowest - 1, kind.highest + 1, None, True, 1.0, "1", b"1", 10**5000],
    FixedBytes: lambda kind: [bytes(kind.size - 1), bytes(kind.size + 1), "a" * kind.size, 5, None],
    BoolType: lambda kind: [0, 1, None, "yes"],
    AddressType: lambda kind: [f"0x{'00' * 20}", bytes(19), bytes(21), [0] * 20, 5, None],
    EnumType: lambda kind: ["nothing", 99, [], None],
    StringType: lambda kind: ["\ud800", b"a", 5, ["a"], None],
    BytesType: lambda kind: ["a", 5, [1], None],
    ListType: lambda kind: ["ab", b"ab", {}, 5, None],
    UnionType: lambda kind: [{}, 5, "Case0", (), None],
    StructType: lambda kind: ["ab"[: len(kind.members)], 5, {}, (), None],
}


def spoiled(kind: ValueType, value: Any) -> st.SearchStrategy[tuple[Any, str]]:
    """`value` with one part that does not fit, and the path to that part."""
    match kind:
        case OptionalType(item=item):
            bad = st.just(value) if value is not None else values_of(item)
            return bad.flatmap(lambda inner: spoiled(item, inner)).filter(
                lambda b: b[0] is not None
            )
        case UnionType():
            inner = kind.by_class[value.__class__][1]
            inside = (
                [spoiled(inner, value).filter(lambda b: b[0].__class__ is inner.cls)]
                if inner.members
                else []
            )
            return st.one_of(
                *inside, st.sampled_from([(wrong, "") for wrong in WRONG[UnionType](kind)])
            )
        case ListType(item=item, make=make) if value:
            parts = [(f"[{i}]", item) for i in range(len(value))]
            build: Callable[[list[Any]], Any] = make
        case StructType(members=members, cls=cls):
            parts = [(m.name if cls else f"[{m.name}]", m.kind) for m in members]
            build = tuple if cls is None else lambda values: cls(*values)
            value = [getattr(value, m.name) for m in members] if cls else value
        case _:
            return st.sampled_from([(wrong, "") for wrong in WRONG[type(kind)](kind)])

    def put(place: int, bad: tuple[Any, str]) -> tuple[Any, str]:
        path = parts[place][0] + ("." if bad[1][:1] not in ("", "[") else "") + bad[1]
        return build([*value[:place], bad[0], *value[place + 1 :]]), path

    inside = [spoiled(inner, value[i]).map(partial(put, i)) for i, (_, inner) in enumerate(parts)]
    outside = [(wrong, "") for wrong in WRONG[type(kind)](kind)]
    return st.one_of(*inside, st.sampled_from(outside))


class Drawn:
    """Strategies for kinds, for values of them, and for both."""

    scalars = SCALARS
    kinds: st.SearchStrategy[ValueType] = st.recursive(
        st.sampled_from([*SCALARS, StringType(), BytesType()]), composed, max_leaves=6
    )
    typed = kinds.flatmap(lambda kind: st.tuples(st.just(kind), values_of(kind)))
    values_of = staticmethod(values_of)
    spoiled = staticmethod(spoiled)
