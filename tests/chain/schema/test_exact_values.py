"""Values that storage returns as they are, and others that it returns as something else."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain import Address, Chain, Contract, Vector, call
from chain.crypto.address import ZERO_ADDRESS
from chain.schema.annotations import type_of_annotation
from chain.schema.exact_values import exactness
from chain.schema.value_types import BytesType, StringType, ValueType
from chain.types import i16, u8, u64, u256
from tests.chain.values import SCALARS, composed, values_of


class Side(Enum):
    LEFT = 0
    RIGHT = 1


class Level(IntEnum):
    LOW = 1


class Text(str):
    __slots__ = ()


class Place(Address):
    __slots__ = ()


@dataclass(frozen=True)
class Inner:
    number: u8
    side: Side


@dataclass(frozen=True)
class Outer:
    wide: u256
    signed: i16
    flag: bool
    who: Address
    text: str
    raw: bytes
    numbers: tuple[u8, ...]
    inners: tuple[Inner, ...]
    pair: tuple[u8, u64]
    inner: Inner
    maybe: Inner | None


INNER = Inner(3, Side.RIGHT)
OUTER: dict[str, Any] = {
    "wide": 2**200, "signed": -5, "flag": True, "who": ZERO_ADDRESS, "text": "a", "raw": b"b", "numbers": (1, 2),
    "inners": (INNER, Inner(4, Side.LEFT)), "pair": (1, 2), "inner": INNER, "maybe": None,
}  # fmt: skip
EXACT: dict[str, list[Any]] = {
    "wide": [0, 7], "flag": [False], "text": [""], "raw": [b""], "numbers": [(), (9,), (1, 2, 3)],
    "inners": [(), (INNER,), (INNER, INNER, INNER), (INNER, Inner(5, Side.LEFT))], "pair": [(3, 4)],
    "inner": [Inner(9, Side.LEFT)], "maybe": [INNER],
}  # fmt: skip
INEXACT: dict[str, list[Any]] = {
    "wide": [Level.LOW], "signed": [Level.LOW], "who": [Place(bytes(20))], "text": [Text("a")], "raw": [bytearray(b"b")],
    "numbers": [[1, 2], (1, Level.LOW)],
    "inners": [[INNER], (INNER, SimpleNamespace(number=4, side=Side.LEFT)), (INNER, Inner(Level.LOW, Side.LEFT))],
    "pair": [[1, 2], (Level.LOW, 2)], "inner": [SimpleNamespace(number=3, side=Side.LEFT), Inner(Level.LOW, Side.LEFT)],
    "maybe": [Inner(Level.LOW, Side.LEFT)],
}  # fmt: skip
CASES = [(name, value, True) for name, values in EXACT.items() for value in values] + [
    (name, value, False) for name, values in INEXACT.items() for value in values
]
IS_EXACT = exactness(type_of_annotation(Outer))
IS_EXACT_OPTION = exactness(type_of_annotation(Outer | None))


@pytest.mark.parametrize(("name", "value", "expected"), CASES, ids=str)
def test_value_is_exact_if_it_is_read_back_as_it_is(
    name: str, value: object, expected: bool
) -> None:
    before, after = Outer(**OUTER), Outer(**OUTER | {name: value})
    assert IS_EXACT(after, before) is expected
    assert IS_EXACT_OPTION(after, before) is expected
    assert IS_EXACT_OPTION(after, None) is expected


def test_same_value_and_none_are_exact() -> None:
    outer = Outer(**OUTER)
    assert IS_EXACT(outer, outer)
    assert IS_EXACT_OPTION(None, outer)
    assert IS_EXACT_OPTION(None, None)


class Shelf(Contract):
    outers: Vector[Outer]

    @call
    def add(self, outer: Outer) -> None:
        self.outers.append(outer)

    @call
    def change(self, case: u8) -> str:
        """Change the value twice, so that the second change finds it in the cache."""
        name, value, _ = CASES[case]
        for after in (Outer(**OUTER), Outer(**OUTER | {name: value})):
            self.outers.change(0, self.outers[0], after)
        return shown(self.outers[0])


def shown(value: Any) -> str:
    """A text with the classes of all parts."""
    parts = [getattr(value, name) for name in OUTER] if isinstance(value, Outer) else value
    if isinstance(parts, tuple | list):
        return f"{type(value).__name__}({', '.join(map(shown, parts))})"
    return f"{type(value).__name__} {value!r}"


@pytest.mark.parametrize("case", range(len(CASES)))
def test_contract_reads_the_same_with_and_without_the_cache(case: int) -> None:
    shelf = Chain(guard=False).deploy(Shelf)
    shelf.add(Outer(**OUTER))
    seen = shelf.change(case).return_value
    assert seen == shown(shelf.fields.outers[0])


frozen_kinds = st.recursive(
    st.sampled_from([*SCALARS, StringType(), BytesType()]),
    lambda inner: composed(inner).filter(lambda kind: getattr(kind, "make", tuple) is tuple),
    max_leaves=6,
)


@given(
    frozen_kinds.flatmap(lambda kind: st.tuples(st.just(kind), values_of(kind), values_of(kind)))
)
def test_values_of_the_declared_types_are_exact(case: tuple[ValueType, Any, Any]) -> None:
    kind, value, before = case
    assert exactness(kind)(value, before)
