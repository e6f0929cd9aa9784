"""Values of every declared kind, as Hypothesis strategies: `values(kind_of(u8))`.

Numbers favour small ones, the borders of their width, what stands in the contract's source, and what the play has shown
so far: an id that a call returned is tried in the next one. Addresses are of accounts and contracts first. What was seen is
kept in `Hints`, which changes as the play goes on, so a strategy draws a place in it and looks there.
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
    OptionalType,
    StringType,
    StructType,
    ValueType,
    default_value,
)
from chain.schema.value_types import ListType as ManyOf
from chain.spec.contracts import (
    REQUIRED,
    EntrySpec,
)
from chain.types import ZERO_ADDRESS, Address, FixedBytes, Int

_REMEMBERED: Final = 12  # values of a kind
_SMALL: Final = 9
_PLACES: Final = st.integers(0, 2**16 - 1)
_NOTHING: Final = object()
VALUES_SENT: Final = st.sampled_from([0, 1, 2, 10, 10**9, 10**18]) | st.integers(0, 1000)
_SECONDS: Final = (1, 0, 59, 60, 61, 3600, 86_400)
_LONGEST: Final = 10**6  # seconds


class ValueHints:
    """What is known of good values: from the source, from the chain, from the play so far."""

    def __init__(self, numbers: Sequence[int] = (), words: Sequence[str] = ()) -> None:
        near = [number + step for number in numbers for step in (0, 1, -1)]
        self.numbers: tuple[Sequence[int], ...] = (numbers, tuple(dict.fromkeys(near)))
        self.words: tuple[Sequence[str], ...] = (words,)
        self.accounts: list[Address] = []
        self.seen: dict[str, list[Any]] = {}  # by the name of a kind, the latest last
        self._at_start: dict[str, list[Any]] = {}

    def of(self, entry: EntrySpec) -> ValueHints:
        """The same, and what the code of this entry itself speaks of."""
        made = copy(self)
        numbers, words = constants_of(entry.function)
        made.numbers, made.words = (*self.numbers, numbers, numbers, numbers), (*self.words, words)
        return made

    def begin(self, accounts: Sequence[Address]) -> None:
        """A play begins: nothing was seen but what was set up."""
        self.accounts[:] = accounts
        self.seen.clear()
        self.seen.update((name, list(known)) for name, known in self._at_start.items())

    def set_up(self) -> None:
        """What was noted so far is known in every play."""
        self._at_start = {name: list(known) for name, known in self.seen.items()}

    def note(self, kind: ValueType | None, value: Any) -> None:
        """A value came up; parts of it may be worth trying again."""
        match kind:
            case None | BoolType() | EnumType():
                return
            case OptionalType(item=item):
                if value is not None:
                    self.note(item, value)
            case ManyOf(item=item):
                for each in value[:_REMEMBERED]:
                    self.note(item, each)
            case StructType(members=members, cls=cls):
                for i, member in enumerate(members):
                    self.note(member.kind, value[i] if cls is None else getattr(value, member.name))
            case _:
                known = self.seen.setdefault(kind.name, [])
                if value not in known:
                    known.append(value)
                    del known[:-_REMEMBERED]

    def recall(self, kind: ValueType, place: int) -> Any:
        """Something seen of such a kind, the latest first, or what an unset value reads as."""
        known = self.seen.get(kind.name)
        return known[-1 - place % len(known)] if known else default_value(kind)


def arguments(entry: EntrySpec, hints: ValueHints) -> SearchStrategy[tuple[Any, ...]]:
    """Arguments for an entry; those with a default are sometimes the default."""
    known = hints.of(entry)
    each = [
        values(member.kind, known)
        if default is REQUIRED
        else st.just(default) | values(member.kind, known)
        for member, default in zip(entry.params, entry.defaults, strict=True)
    ]
    return st.tuples(*each)


def seconds(hints: ValueHints) -> SearchStrategy[int]:
    """How long to wait: usual spans of time, and numbers of the source, which may be such."""
    spoken = [n for known in hints.numbers for n in known if 0 <= n <= _LONGEST]
    usual = st.sampled_from(_SECONDS)
    return st.one_of(usual, st.sampled_from(spoken or _SECONDS), st.integers(0, _LONGEST))


def values(kind: ValueType, hints: ValueHints | None = None) -> SearchStrategy[Any]:
    """Values that fit `kind`."""
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
        case ManyOf(item=item, make=make):
            return st.lists(values(item, known), max_size=4).map(make)
        case StructType():
            return _records(kind, known)


def _numbers(kind: Int, hints: ValueHints) -> SearchStrategy[int]:
    low, high = kind.lowest, kind.highest
    ends = [high, high - 1, low, low + 1, high // 2 + 1, *((-1, -2) if low < 0 else ())]
    spoken = [
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
    return st.one_of(tiny, seen, small, *spoken, st.sampled_from(ends), any_number, seen.map(int))


def _addresses(kind: AddressType, hints: ValueHints) -> SearchStrategy[Address]:
    def known(place: int) -> Address:
        there = hints.accounts
        return there[place % len(there)] if there else ZERO_ADDRESS

    others = st.just(ZERO_ADDRESS) | st.binary(min_size=20, max_size=20).map(Address)
    return st.one_of(_PLACES.map(known), _PLACES.map(known).map(Address), _seen(kind, hints), others)  # fmt: skip


def _texts(kind: StringType, hints: ValueHints) -> SearchStrategy[str]:
    """Names of accounts and their addresses are texts that contracts know; words of the source too."""

    def known(place: int) -> str:
        who = hints.accounts[place % len(hints.accounts)] if hints.accounts else ZERO_ADDRESS
        return name_of(who)

    free = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
    spoken = [st.sampled_from(words) for words in hints.words if words]
    return st.one_of(_PLACES.map(known), _seen(kind, hints), free, *spoken)


def _records(kind: StructType, hints: ValueHints) -> SearchStrategy[Any]:
    parts = st.tuples(*(values(member.kind, hints) for member in kind.members))
    build = kind.cls
    if build is None:
        return parts

    def built(members: tuple[Any, ...]) -> Any:
        with suppress(Exception):  # a dataclass may refuse to be made of these
            return build(*members)
        return _NOTHING

    return parts.map(built).filter(lambda made: made is not _NOTHING)


def _seen(kind: ValueType, hints: ValueHints) -> SearchStrategy[Any]:
    return _PLACES.map(lambda place: hints.recall(kind, place))
