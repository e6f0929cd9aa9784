"""Lists of numbers of one byte, or of records of such numbers: boards are such lists, so all numbers are handled at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chain.schema.scalars import Int
from chain.schema.value_types import StructType, ValueType

_USUAL = {int}


def are_octets(kind: ValueType) -> bool:
    """Return True if a value is a number of one byte, or a record of such numbers."""
    if isinstance(kind, StructType):
        return all(map(are_octets, kind.parts))
    return isinstance(kind, Int) and kind.bits == 8


def are_unsigned(kind: ValueType) -> bool:
    """Return True if all these numbers are u8."""
    return (
        all(map(are_unsigned, kind.parts))
        if kind.parts
        else kind.zero == getattr(kind, "lowest", 0)
    )


def leaves(kind: ValueType, value: str) -> Iterator[str]:
    """Return the variables that the numbers in `value` are in, once it is destructured."""
    if not isinstance(kind, StructType):
        yield value
    for i, part in enumerate(kind.parts):
        yield from leaves(part, f"{value}_{i}")


def octets_of(numbers: Sequence[object], unsigned: bool) -> bytearray | None:
    """Return the bytes of numbers that are certain to fit; None if one may not fit, or is not a plain whole number.

    A byte above 127 fits only if all types are `unsigned`.
    """
    if not _USUAL.issuperset(map(type, numbers)):
        return None
    try:
        octets = bytearray(numbers)  # type: ignore[arg-type]  # they are whole numbers
    except ValueError:  # one is negative, or above 255
        return None
    return octets if unsigned or octets.isascii() else None


def words_of(octets: bytearray) -> bytearray:
    """Return each byte as a word of the ABI."""
    words = bytearray(32 * len(octets))
    words[31::32] = octets
    return words
