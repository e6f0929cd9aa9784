"""Random values of every declared type.

Numbers are most often small, at the limits of their width, constants of the contract's source, or values that the play has
shown so far: an id that a call returned is tried in the next one. Addresses are most often those of accounts and contracts.
Seen values are kept in `ValueHints`, which changes during the play.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from random import Random
from typing import Any, Final, TypeAlias, TypeVar

from chain.fuzz.fuzz_case import name_of
from chain.fuzz.source_constants import constants_of
from chain.spec.contracts import REQUIRED, EntrySpec
from chain.types import ZERO_ADDRESS, Address
from chain.values import (
    AddressType,
    BytesType,
    Int,
    ListType,
    OptionalType,
    Scalar,
    StringType,
    StructType,
    UnionType,
    ValueType,
)

T = TypeVar("T")
Draw: TypeAlias = Callable[[Random], T]

_REMEMBERED: Final = 12  # values per type
_SMALL: Final = 9
_LONGEST: Final = 4  # items of a list
_LONGEST_TEXT: Final = 12
_LONGEST_BYTES: Final = 40
_WIDE: Final = 32  # bits; wider numbers have any number of bits with the same probability
_TRIES: Final = 100  # of a record that refuses its members
_SURROGATES: Final = range(0xD800, 0xE000)
_CHARACTERS: Final = 0x110000 - len(_SURROGATES)
_LONGEST_WAIT: Final = 10**6  # seconds


class NoValue(ValueError):
    """A record that refuses all members that were tried."""


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
        elif kind is not None and not kind.choices:
            known = self.seen.setdefault(kind.name, [])
            if value not in known:
                known.append(value)
                del known[:-_REMEMBERED]

    def recall(self, kind: ValueType, place: int) -> object:
        """Return a seen value of this type, the latest first, or the default value if none was seen."""
        known = self.seen.get(kind.name)
        return known[-1 - place % len(known)] if known else kind.zero


def arguments(entry: EntrySpec, hints: ValueHints) -> Draw[tuple[object, ...]]:
    """Return a draw of arguments for an entry. A parameter with a default sometimes gets the default."""
    known = hints.of(entry)
    draws = [
        values(member.kind, known)
        if default is REQUIRED
        else _sometimes(default, values(member.kind, known))
        for member, default in zip(entry.params, entry.defaults, strict=True)
    ]
    return _all_of(draws)


def wei(payable: bool) -> Draw[int]:
    """Return a draw of the wei that come with a call."""
    usual = _among([0, 1, 2, 10, 10**9, 10**18])
    return _one_of(usual, _between(0, 1000)) if payable else lambda random: 0


def seconds(hints: ValueHints) -> Draw[int]:
    """Return a draw of waiting times: usual ones, and numbers of the source, which may be times."""
    usual = [1, 0, 59, 60, 61, 3600, 86_400]
    numbers = [number for known in hints.numbers for number in known]
    constants = [number for number in numbers if 0 <= number <= _LONGEST_WAIT]
    return _one_of(_among(usual), _among(constants or usual), _between(0, _LONGEST_WAIT))


def values(kind: ValueType, hints: ValueHints | None = None) -> Draw[Any]:
    """Return a draw of values of type `kind`."""
    known = hints or ValueHints()
    match kind:
        case ValueType(choices=[_, *_] as choices):
            return _among([kind.parse(choice) for choice in choices])
        case Int():
            return _numbers(kind, known)
        case AddressType():
            return _addresses(kind, known)
        case Scalar():
            return _one_of(_seen(kind, known), _any_of(kind))
        case StringType():
            return _texts(kind, known)
        case BytesType():
            return _one_of(_seen(kind, known), _any_bytes)
        case OptionalType(item=item):
            return _sometimes(None, values(item, known))
        case UnionType(variants=variants):
            return _one_of(*[values(variant, known) for variant in variants])
        case ListType(item=item, make=make):
            return _lists(values(item, known), make)
        case StructType():
            return _records(kind, known)
        case _:
            raise AssertionError(kind)


# Numbers


def _numbers(kind: Int, hints: ValueHints) -> Draw[int]:
    low, high = kind.lowest, kind.highest
    ends = [high, high - 1, low, low + 1, high // 2 + 1, *((-1, -2) if low < 0 else ())]
    constants = [
        _among(fitting)
        for known in hints.numbers
        if (fitting := [number for number in known if low <= number <= high])
    ]
    tiny, small = _between(0, min(1, high)), _between(0, min(_SMALL, high))
    any_number = _between(low, high) if high.bit_length() <= _WIDE else _wide(low, high)
    seen = _seen(kind, hints)
    return _one_of(tiny, seen, seen, small, *constants, _among(ends), any_number)


def _wide(low: int, high: int) -> Draw[int]:
    most = high.bit_length()

    def draw(random: Random) -> int:
        number = random.getrandbits(between(random, 1, most)) % (high + 1)
        return ~number if low < 0 and random.random() < 0.5 else number

    return draw


def _between(low: int, high: int) -> Draw[int]:
    return lambda random: between(random, low, high)


# Other values of one word


def _any_of(kind: Scalar) -> Draw[Any]:
    """Return a draw of values by their numbers, of which some have none."""
    highest = (1 << 8 * kind.size) - 1
    number = _one_of(_among([0, 1, highest]), _wide(0, highest), _wide(0, highest))

    def draw(random: Random) -> Any:
        for _ in range(_TRIES):
            with suppress(Exception):
                return kind.unpack(number(random))
        return kind.zero

    return draw


# Bytes and texts


def _addresses(kind: AddressType, hints: ValueHints) -> Draw[Address]:
    def known(random: Random) -> Address:
        return pick(random, hints.accounts) if hints.accounts else ZERO_ADDRESS

    def unnamed(random: Random) -> Address:
        return Address(known(random))

    def other(random: Random) -> Address:
        return ZERO_ADDRESS if random.random() < 0.5 else Address(random.randbytes(20))

    return _one_of(known, unnamed, _seen(kind, hints), other)


def _texts(kind: StringType, hints: ValueHints) -> Draw[str]:
    """Return a draw of texts: account names and addresses, which contracts know, and words of the source."""

    def known(random: Random) -> str:
        return name_of(pick(random, hints.accounts) if hints.accounts else ZERO_ADDRESS)

    constants = [_among(words) for words in hints.words if words]
    return _one_of(known, _seen(kind, hints), _any_text, *constants)


def _any_text(random: Random) -> str:
    return "".join([_any_character(random) for _ in range(between(random, 0, _LONGEST_TEXT))])


def _any_character(random: Random) -> str:
    if random.random() < 0.5:
        return chr(between(random, 0x20, 0x7E))
    place = between(random, 0, _CHARACTERS - 1)
    return chr(place if place < _SURROGATES.start else place + len(_SURROGATES))


def _any_bytes(random: Random) -> bytes:
    return random.randbytes(between(random, 0, _LONGEST_BYTES))


# Values with parts


def _lists(item: Draw[Any], make: Callable[[list[Any]], object]) -> Draw[object]:
    return lambda random: make([item(random) for _ in range(between(random, 0, _LONGEST))])


def _records(kind: StructType, hints: ValueHints) -> Draw[object]:
    parts = _all_of([values(part, hints) for part in kind.parts])
    build = kind.cls
    if build is None:
        return parts

    def draw(random: Random) -> object:
        for _ in range(_TRIES):
            with suppress(Exception):  # a dataclass may refuse these members
                return build(*parts(random))
        raise NoValue(f"{kind.name} refuses every value that was tried")

    return draw


# Choices


def pick(random: Random, choices: Sequence[T]) -> T:
    """Return one of these, in half the time of `random.choice`."""
    return choices[int(random.random() * len(choices))]


def between(random: Random, low: int, high: int) -> int:
    """Return a number of a range that is narrower than 2^53."""
    return low + int(random.random() * (high - low + 1))


def _among(choices: Sequence[T]) -> Draw[T]:
    return lambda random: pick(random, choices)


def _one_of(*draws: Draw[T]) -> Draw[T]:
    return lambda random: pick(random, draws)(random)


def _sometimes(value: T, otherwise: Draw[T]) -> Draw[T]:
    return lambda random: value if random.random() < 0.25 else otherwise(random)


def _all_of(draws: Sequence[Draw[object]]) -> Draw[tuple[object, ...]]:
    return lambda random: tuple([draw(random) for draw in draws])


def _seen(kind: ValueType, hints: ValueHints) -> Draw[Any]:
    return lambda random: hints.recall(kind, random.getrandbits(16))
