"""Lists of numbers of one byte, or of records of such numbers: boards are such lists, so all numbers are handled at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from chain.schema.scalars import Int
from chain.schema.value_types import StructType, ValueType


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
    if [*map(type, numbers)].count(int) < len(numbers):
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


def width_of_octets(kind: ValueType) -> int | None:
    """Return 0 for u8, the number of its parts for a tuple of u8, and None for any other type."""
    if isinstance(kind, StructType):
        return len(kind.parts) if kind.cls is None and all(map(_is_octet, kind.parts)) else None
    return 0 if _is_octet(kind) else None


def _is_octet(kind: ValueType) -> bool:
    return isinstance(kind, Int) and (kind.lowest, kind.highest) == (0, 255)


def octets_encoder(general: Callable[[object], bytes], width: int) -> Callable[[object], bytes]:
    """Return the encoder of a list of u8, or of tuples of `width` u8.

    Whatever is not as usual is left to the `general` encoder.
    """
    tuples, widths = {tuple}, {width}

    def encode_octets(values: object) -> bytes:
        if type(values) is not list and type(values) is not tuple:
            return general(values)
        octets: Sequence[object] = values
        if width:
            if not (tuples.issuperset(map(type, values)) and widths.issuperset(map(len, values))):
                return general(values)
            octets = [*chain.from_iterable(values)]
        raw = octets_of(octets, unsigned=True)
        return general(values) if raw is None else len(values).to_bytes(32) + words_of(raw)

    return encode_octets
