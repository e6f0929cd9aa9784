"""Hypothesis strategies for the values of every declared type.

Numbers are most often small, at the limits of their width, constants of the contract's source, or values that the play has
shown so far: an id that a call returned is tried in the next one. Addresses are most often those of accounts and contracts.
Seen values are kept in `ValueHints`, which changes during the play. So a strategy draws a number, which selects one of the
values seen by then.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from copy import copy
from enum import Enum
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from chain.fuzz.fuzz_case import name_of
from chain.fuzz.source_constants import constants_of
from chain.schema.value_types import (
    AddressType,
    BoolType,
    BytesType,
    EnumType,
    FixedBytes,
    Int,
    ListType,
    OptionalType,
    StringType,
    StructType,
    ValueType,
)
from chain.spec.contracts import REQUIRED, EntrySpec
from chain.types import ZERO_ADDRESS, Address

_REMEMBERED: Final = 12  # values per type
_SMALL: Final = 9
_PLACES: Final = st.integers(0, 2**16 - 1)
_NOTHING: Final = object()
VALUES_SENT: Final = st.sampled_from([0, 1, 2, 10, 10**9, 10**18]) | st.integers(0, 1000)
_SECONDS: Final = (1, 0, 59, 60, 61, 3600, 86_400)
_LONGEST: Final = 10**6  # seconds


class ValueHints:
    """Values that are likely to be useful: from the source, from the chain, from the play so far."""

    def __init__(self, numbers: Sequence[int] = (), words: Sequence[str] = ()) -> None:
        near = [number + step for number in numbers for step in (0, 1, -1)]
        self.numbers: tuple[Sequence[int], ...] = (numbers, tuple(dict.fromkeys(near)))
        self.words: tuple[Sequence[str], ...] = (words,)
        self.accounts: list[Address] = []
        self.seen: dict[str, list[object]] = {}  # by the name of a type, the latest last
        self._at_start: dict[str, list[object]] = {}

    def of(self, entry: EntrySpec) -> ValueHints:
        """Return a copy with the constants of this entry's own code."""
        hints = copy(self)
        numbers, words = constants_of(entry.function)
        hints.numbers, hints.words = (
            (*self.numbers, numbers, numbers, numbers),
            (*self.words, words),
        )
        return hints

    def begin(self, accounts: Sequence[Address]) -> None:
        """Start a play: only the values of the set-up are seen."""
        self.accounts[:] = accounts
        self.seen.clear()
        self.seen.update((name, list(known)) for name, known in self._at_start.items())

    def set_up(self) -> None:
        """Keep the values that were recorded so far for every play."""
        self._at_start = {name: list(known) for name, known in self.seen.items()}

    def record(self, kind: ValueType | None, value: object) -> None:
        """Record a value that came up. Its parts may be worth trying again."""
        parts = None if kind is None else kind.split(value)
        if parts is not None:
            for _, inner, part in parts[:_REMEMBERED]:
                self.record(inner, part)
        elif kind is not None and not isinstance(kind, BoolType | EnumType):
            known = self.seen.setdefault(kind.name, [])
            if value not in known:
                known.append(value)
                del known[:-_REMEMBERED]

    def recall(self, kind: ValueType, place: int) -> object:
        """Return a seen value of this type, the latest first, or the default value if none was seen."""
        known = self.seen.get(kind.name)
        return known[-1 - place % len(known)] if known else kind.zero


def arguments(entry: EntrySpec, hints: ValueHints) -> SearchStrategy[tuple[object, ...]]:
    """Return a strategy of arguments for an entry. A parameter with a default sometimes gets the default."""
    known = hints.of(entry)
    strategies = [
        values(member.kind, known)
        if default is REQUIRED
        else st.just(default) | values(member.kind, known)
        for member, default in zip(entry.params, entry.defaults, strict=True)
    ]
    return st.tuples(*strategies)


def seconds(hints: ValueHints) -> SearchStrategy[int]:
    """Return a strategy of waiting times: usual ones, and numbers of the source, which may be times."""
    constants = [number for known in hints.numbers for number in known if 0 <= number <= _LONGEST]
    usual = st.sampled_from(_SECONDS)
    return st.one_of(usual, st.sampled_from(constants or _SECONDS), st.integers(0, _LONGEST))


def values(kind: ValueType, hints: ValueHints | None = None) -> SearchStrategy[Any]:
    """Return a strategy of values of type `kind`."""
    known = hints or ValueHints()
    match kind:
        case Int():
            return _numbers(kind, known)
        case BoolType():
            return st.booleans()
        case FixedBytes(size=size):
            ends = st.sampled_from([bytes(size), bytes(size - 1) + b"\1", b"\xff" * size])
            return ends | _seen(kind, known) | st.binary(min_size=size, max_size=size)
        case AddressType():
            return _addresses(kind, known)
        case EnumType(cls=cls):
            return st.sampled_from(list[Enum](cls))
        case StringType():
            return _texts(kind, known)
        case BytesType():
            return _seen(kind, known) | st.binary(max_size=40)
        case OptionalType(item=item):
            return st.none() | values(item, known)
        case ListType(item=item, make=make):
            return st.lists(values(item, known), max_size=4).map(make)
        case StructType():
            return _records(kind, known)
        case _:
            raise AssertionError(kind)


def _numbers(kind: Int, hints: ValueHints) -> SearchStrategy[int]:
    low, high = kind.lowest, kind.highest
    ends = [high, high - 1, low, low + 1, high // 2 + 1, *((-1, -2) if low < 0 else ())]
    constants = [
        st.sampled_from(fitting)
        for known in hints.numbers
        if (fitting := [number for number in known if low <= number <= high])
    ]
    small, seen, any_number = (
        st.integers(0, min(_SMALL, high)),
        _seen(kind, hints),
        st.integers(low, high),
    )
    tiny = st.integers(0, min(1, high))
    return st.one_of(
        tiny, seen, small, *constants, st.sampled_from(ends), any_number, seen.map(int)
    )


def _addresses(kind: AddressType, hints: ValueHints) -> SearchStrategy[Address]:
    def known(place: int) -> Address:
        accounts = hints.accounts
        return accounts[place % len(accounts)] if accounts else ZERO_ADDRESS

    others = st.just(ZERO_ADDRESS) | st.binary(min_size=20, max_size=20).map(Address)
    return st.one_of(_PLACES.map(known), _PLACES.map(known).map(Address), _seen(kind, hints), others)  # fmt: skip


def _texts(kind: StringType, hints: ValueHints) -> SearchStrategy[str]:
    """Return a strategy of texts: account names and addresses, which contracts know, and words of the source."""

    def known(place: int) -> str:
        account = hints.accounts[place % len(hints.accounts)] if hints.accounts else ZERO_ADDRESS
        return name_of(account)

    free = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
    constants = [st.sampled_from(words) for words in hints.words if words]
    return st.one_of(_PLACES.map(known), _seen(kind, hints), free, *constants)


def _records(kind: StructType, hints: ValueHints) -> SearchStrategy[object]:
    parts = st.tuples(*(values(part, hints) for part in kind.parts))
    build = kind.cls
    if build is None:
        return parts

    def built(members: tuple[object, ...]) -> object:
        with suppress(Exception):  # a dataclass may refuse these members
            return build(*members)
        return _NOTHING

    return parts.map(built).filter(lambda record: record is not _NOTHING)


def _seen(kind: ValueType, hints: ValueHints) -> SearchStrategy[Any]:
    return _PLACES.map(lambda place: hints.recall(kind, place))
