"""Lists of numbers of one byte, or of records of such numbers: boards are such lists, so all numbers are handled at once."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, Final

from chain.schema.codegen import SourceBuilder
from chain.schema.integers import Int
from chain.schema.scalars import whole
from chain.schema.value_types import StructType, ValueType

_MOST: Final = 1 << 12  # records of one type whose octets are kept


def octet_letters(kind: ValueType) -> str:
    """Return the `struct` format of a number of one byte, or of a record of such numbers; no text for any other type."""
    if isinstance(kind, StructType):
        letters = [octet_letters(part) for part in kind.parts]
        return "".join(letters) if all(letters) else ""
    if isinstance(kind, Int) and kind.bits == 8:
        return "b" if kind.signed else "B"
    return ""


@cache
def octets_packer(kind: ValueType) -> Callable[[Sequence[Any]], bytes | bytearray]:
    """Return the function that returns values of this type as bytes, side by side, or raises if one does not fit."""
    letters, records = octet_letters(kind), _by_identity(kind)
    if records is not None:
        return records.join
    if isinstance(kind, StructType):
        return lambda values: _octets_of(_flattened(values, len(letters)), letters)
    return lambda values: _octets_of(values, letters)


@cache
def last_octets(kind: ValueType) -> Callable[[object], bytes | None]:
    """Return the function that returns the bytes of a tuple if they are still there since it was packed, else None."""
    records = _by_identity(kind)
    return (lambda values: None) if records is None else records.last


@cache
def _by_identity(kind: ValueType) -> _ByIdentity | None:
    """Return the bytes of the records of a type. None for numbers, and for tuples of numbers, which are packed at once."""
    if not isinstance(kind, StructType):
        return None
    if kind.cls is None and not any(part.parts for part in kind.parts):
        return None
    return _ByIdentity(_record_packer(kind, octet_letters(kind)))


@cache
def words_packer(kind: ValueType) -> Callable[[Sequence[Any]], bytes | bytearray]:
    """Return the function that returns the numbers of such values as words of the ABI."""
    letters, pack = octet_letters(kind), octets_packer(kind)
    return lambda values: _words_of(pack(values), letters)


def _words_of(octets: bytes | bytearray, letters: str) -> bytes | bytearray:
    """Return the bytes of items as words of the ABI. `letters` is the format of an item."""
    if "b" in letters and not octets.isascii():
        numbers = struct.unpack(letters * (len(octets) // len(letters)), octets)
        return b"".join([number.to_bytes(32, signed=number < 0) for number in numbers])
    words = bytearray(32 * len(octets))
    words[31::32] = octets
    return words


def plain_numbers(numbers: Sequence[Any]) -> Sequence[int]:
    """Return whole numbers as plain ones, or raise."""
    is_plain = [*map(type, numbers)].count(int) == len(numbers)
    return numbers if is_plain else [*map(whole, numbers)]


def _octets_of(numbers: Sequence[Any], letters: str) -> bytearray:
    plain = plain_numbers(numbers)
    if "b" in letters:
        return bytearray(struct.pack(letters * (len(plain) // len(letters)), *plain))
    return bytearray(plain)


def _flattened(values: Sequence[Any], width: int) -> list[object]:
    """Return the members of tuples side by side, or raise if one has not `width` of them."""
    flat: list[object] = []
    for value in values:
        is_tuple = value.__class__ is tuple or isinstance(value, tuple | list)
        if not is_tuple or len(value) != width:
            raise TypeError
        flat += value
    return flat


class _ByIdentity:
    """Bytes that are made of records, by the identity of the record: most records of a board are those that it had before.

    `pack` returns the bytes of a record, and True if the record never changes.
    """

    def __init__(self, pack: Callable[[object], tuple[bytes, bool]]) -> None:
        self._pack = pack
        # The bytes by identity, and the records, so that no other objects take their identities.
        self._known: tuple[dict[int, bytes], dict[int, object]] = ({}, {})
        # The last tuple of records that never change, and its bytes: what is stored is often returned, too.
        self._last: tuple[object, bytes] = (None, b"")

    def join(self, records: Sequence[Any]) -> bytes:
        """Return the bytes of records side by side."""
        packed, octets = self._last
        if packed is records:
            return octets
        changing: list[object] = []
        known, find = self._known[0].get, self._find
        octets = b"".join([known(id(record)) or find(record, changing) for record in records])
        if not changing and records.__class__ is tuple:
            self._last = records, octets
        return octets

    def last(self, records: object) -> bytes | None:
        """Return the bytes of the tuple that was joined last, None for any other value."""
        packed, octets = self._last
        return octets if packed is records else None

    def _find(self, record: object, changing: list[object]) -> bytes:
        """Return the bytes of a record that are not known. Keep them if it never changes, else add it to `changing`."""
        packed, never_changes = self._pack(record)
        if not never_changes:
            changing.append(record)
        else:
            known, records = self._known
            records[id(record)] = record
            known[id(record)] = packed
            if len(known) > _MOST:
                self._known = {}, {}
        return packed


def _record_packer(kind: StructType, letters: str) -> Callable[[object], tuple[bytes, bool]]:
    """Return the function that returns the numbers of a record as bytes, and True if the record never changes."""
    source = SourceBuilder(f"octets of {kind.name}")
    names, pack = [*_leaves(kind, "v")], source.bind(struct.Struct(letters).pack)
    checks = [check for name in names for check in Int.sized("", 8).checks(name)]
    never_changes = " and ".join(_exact_classes(kind, "v", source))
    lines = [*_destructuring(kind, "v"), *checks]
    lines.append(f"return {pack}({', '.join(names)}), {never_changes}")
    made: Callable[[object], tuple[bytes, bool]]
    made = source.run(["def octets(v):", *(f" {line}" for line in lines)], {})["octets"]
    return made


def _destructuring(kind: StructType, value: str) -> Iterator[str]:
    """Return lines of source that put all numbers of a record into variables."""
    yield from kind.destructuring_source(value)
    for i, part in enumerate(kind.parts):
        if isinstance(part, StructType):
            yield from _destructuring(part, f"{value}_{i}")


def _leaves(kind: ValueType, value: str) -> Iterator[str]:
    """Return the variables that the numbers in `value` are in, once it is destructured."""
    if not isinstance(kind, StructType):
        yield value
    for i, part in enumerate(kind.parts):
        yield from _leaves(part, f"{value}_{i}")


def _exact_classes(kind: ValueType, value: str, source: SourceBuilder) -> Iterator[str]:
    """Return conditions under which a record never changes."""
    if isinstance(kind, StructType):
        is_frozen = getattr(getattr(kind.cls, "__dataclass_params__", None), "frozen", False)
        expected = "tuple" if kind.cls is None else source.bind(kind.cls if is_frozen else None)
        yield f"{value}.__class__ is {expected}"
    for i, part in enumerate(kind.parts):
        yield from _exact_classes(part, f"{value}_{i}", source)
