"""The part of CBOR (RFC 8949) that the ledger's rows need: whole numbers, bytes, texts, None, and tuples of these.

The rows in a chain's file have this format, so that any language can read them. The encoding is deterministic: every value
has its shortest form, and a number beyond 64 bits is written as the bytes of its magnitude. It is not `cbor2`, which refuses
text with lone surrogates, reads much that is not a row (dates, floats, bytes after the end), and encodes no faster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from struct import Struct
from typing import Any, Final

_NUMBER, _BYTES, _TEXT, _ARRAY = 0x00, 0x40, 0x60, 0x80
_BIG: Final = 0xC2  # tag 2; the magnitude follows as bytes
_NULL: Final = 0xF6
_IN_PLACE: Final = 24  # a size below this is stored in the first byte
_pack_2, _pack_4, _pack_8 = Struct(">BH").pack, Struct(">BI").pack, Struct(">BQ").pack
_PLAIN: Final[Mapping[type, Callable[[Any], object]]] = {
    int: int, bytes: bytes, list: tuple, str: str.__str__,
}  # fmt: skip
_WIDTHS: Final = {24: 1, 25: 2, 26: 4, 27: 8}


class BadCbor(ValueError):
    """Raised for bytes that `encode` cannot have produced."""


def encode(value: object) -> bytes:
    """Return the CBOR encoding of a value."""
    parts: list[bytes] = []
    _write((value,), parts)
    return b"".join(parts)


def _write(items: Iterable[Any], parts: list[bytes]) -> None:
    for value in items:
        kind = value.__class__
        if kind is int:
            parts.append(_NUMBERS[value] if 0 <= value < _FEW else _number(value))
        elif kind is bytes:
            size = len(value)
            parts.append(_BYTES_HEADS[size] if size < _FEW else _head(_BYTES, size))
            parts.append(value)
        elif value is None:
            parts.append(b"\xf6")
        elif isinstance(value, tuple):
            size = len(value)
            parts.append(_ARRAYS[size] if size < _FEW else _head(_ARRAY, size))
            _write(value, parts)
        elif kind is str:
            raw = value.encode("utf-8", "surrogatepass")
            parts += (_head(_TEXT, len(raw)), raw)
        else:
            _write((_plain(value),), parts)


def _plain(value: object) -> object:
    """Return a value of another class as one of its base class, and a list as a tuple."""
    for kind, plain in _PLAIN.items():
        if isinstance(value, kind):
            return plain(value)
    raise TypeError(f"{value!r} cannot be stored in a row")


@lru_cache(maxsize=1 << 13)  # most numbers recur in many rows
def _number(value: int) -> bytes:
    """Return a number that is not among the precomputed ones."""
    if value < 0:
        raise TypeError(f"{value!r} cannot be stored in a row")
    if value < 1 << 64:
        return _head(_NUMBER, value)
    raw = value.to_bytes((value.bit_length() + 7) >> 3)
    size = len(raw)
    return (_BIG_HEADS[size] if size < _FEW else b"\xc2" + _head(_BYTES, size)) + raw


def _head(kind: int, size: int) -> bytes:
    if size < _IN_PLACE:
        return bytes((kind | size,))
    if size < 1 << 16:
        return _pack_2(kind | 25, size) if size >= 1 << 8 else bytes((kind | 24, size))
    return _pack_4(kind | 26, size) if size < 1 << 32 else _pack_8(kind | 27, size)


# Precomputed heads, since most sizes and numbers are small.
_FEW: Final = 256
_NUMBERS, _BYTES_HEADS, _ARRAYS = (
    [_head(major_type, size) for size in range(_FEW)] for major_type in (_NUMBER, _BYTES, _ARRAY)
)
_BIG_HEADS: Final = [b"\xc2" + head for head in _BYTES_HEADS]


def decode(raw: bytes) -> Any:
    """Return the value that `raw` encodes, or raise `BadCbor`."""
    try:
        (value,), end = _read(raw, 0, 1)
    except (IndexError, KeyError, TypeError, ValueError, RecursionError):
        raise BadCbor("these bytes are not a row") from None
    if end != len(raw):
        raise BadCbor("these bytes are not a row, or more than one")
    return value


def _read(raw: bytes, place: int, count: int) -> tuple[tuple[Any, ...], int]:
    """Return `count` values from the offset `place` on, and the offset of their end."""
    items: list[Any] = []
    for _ in range(count):
        first = raw[place]
        place += 1
        if first < _IN_PLACE:
            items.append(first)
            continue
        if first == _NULL:
            items.append(None)
            continue
        if first == _BIG:
            (magnitude,), place = _read(raw, place, 1)
            items.append(int.from_bytes(magnitude))
            continue
        major_type, size = first & 0xE0, first & 0x1F
        if size == _IN_PLACE:  # the length is in one byte
            size = raw[place]
            place += 1
        elif size > _IN_PLACE:
            end = place + _WIDTHS[size]
            size = int.from_bytes(raw[place:end])
            place = end
        if major_type == _BYTES:
            items.append(_content(raw, place, size))
            place += size
        elif major_type == _NUMBER:
            items.append(size)
        elif major_type == _ARRAY:
            inner, place = _read(raw, place, size)
            items.append(inner)
        elif major_type == _TEXT:
            items.append(_content(raw, place, size).decode("utf-8", "surrogatepass"))
            place += size
        else:
            raise ValueError(first)
    return tuple(items), place


def _content(raw: bytes, place: int, size: int) -> bytes:
    content = raw[place : place + size]
    if len(content) < size:
        raise IndexError(place)
    return content
