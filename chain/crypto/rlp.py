"""RLP, the encoding that Ethereum hashes: a byte string, or a list of encoded items, each with its length in front.

A short codec of our own, because the `rlp` library takes 100 ms to import and several times as long to encode; the tests
check that both agree. A number is encoded as the shortest byte string that holds it, so zero is the empty string. Every value
has exactly one encoding, and `decode` accepts no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, TypeAlias

Item: TypeAlias = "int | bytes | Sequence[Item]"
Decoded: TypeAlias = "bytes | list[Decoded]"

EMPTY: Final = b"\x80"  # the empty string
_STRING: Final = 0x80
_LIST: Final = 0xC0
_SHORT: Final = 55  # a length up to this is stored in the first byte
_FEW: Final = 256  # the heads for lengths below this are kept
# The encodings of small numbers.
_NUMBERS: Final = [EMPTY, *(bytes((number,)) for number in range(1, _STRING))]
_DEEPEST: Final = 32


class BadRlp(ValueError):
    """Raised for bytes that are not the canonical RLP encoding of any value."""


def encode(item: Item) -> bytes:
    """Return the RLP encoding of an item."""
    if isinstance(item, bytes):
        size = len(item)
        if size == 1 and item < EMPTY:
            return item
        return (_STRING_HEADS[size] if size < _FEW else _long_head(_STRING, size)) + item
    if isinstance(item, int):
        return number(item)
    return wrap(b"".join([encode(part) for part in item]))


def number(value: int) -> bytes:
    """Return the encoding of a number. Those who know the type of an item call this instead of `encode`."""
    if 0 <= value < _STRING:
        return _NUMBERS[value]
    size = (value.bit_length() + 7) >> 3
    raw = value.to_bytes(size)
    return _STRING_HEADS[size] + raw if size < _FEW else encode(raw)


# For numbers that recur, such as a chain's id or a fee.
known_number: Final = lru_cache(maxsize=1024)(number)


def wrap(body: bytes) -> bytes:
    """Return the encoding of a list whose items are already encoded and joined in `body`."""
    size = len(body)
    return (_LIST_HEADS[size] if size < _FEW else _long_head(_LIST, size)) + body


@lru_cache(maxsize=1024)  # the same lengths recur
def _long_head(kind: int, size: int) -> bytes:
    length = size.to_bytes((size.bit_length() + 7) // 8)
    return bytes((kind + _SHORT + len(length),)) + length


def _heads(kind: int) -> list[bytes]:
    short = [bytes((kind + size,)) for size in range(_SHORT + 1)]
    return short + [bytes((kind + _SHORT + 1, size)) for size in range(_SHORT + 1, _FEW)]


# The heads of strings and lists, by length.
_STRING_HEADS: Final = _heads(_STRING)
_LIST_HEADS: Final = _heads(_LIST)


def decode(raw: bytes) -> Decoded:
    """Return the item that `raw` encodes, with numbers as bytes, or raise `BadRlp`."""
    item, end = _item(raw, 0, len(raw), _DEEPEST)
    if end != len(raw):
        raise BadRlp(f"it has extra bytes at its end: {len(raw) - end}")
    return item


def _item(raw: bytes, place: int, limit: int, depth: int) -> tuple[Decoded, int]:
    """Return the item at offset `place`, and the offset of its end. Lists may be nested `depth` levels deep."""
    if place >= limit:
        raise BadRlp("it ends too early")
    first = raw[place]
    if first < _STRING:
        return raw[place : place + 1], place + 1
    base = _STRING if first < _LIST else _LIST
    start, end = _span(raw, place + 1, limit, first - base)
    if base == _STRING:
        if end - start == 1 and raw[start] < _STRING:
            raise BadRlp(f"the byte {raw[start]:#04x} needs no length, but has one")
        return raw[start:end], end
    if not depth:
        raise BadRlp(f"its lists are nested deeper than {_DEEPEST}")
    items: list[Decoded] = []
    while start < end:
        item, start = _item(raw, start, end, depth - 1)
        items.append(item)
    return items, end


def _span(raw: bytes, start: int, limit: int, size: int) -> tuple[int, int]:
    """Return the start and the end of a content. `size` comes from its first byte: its length, or the length's own length."""
    if size > _SHORT:
        length = raw[start : start + size - _SHORT]
        start += size - _SHORT
        size = int.from_bytes(length)
        if start > limit:
            raise BadRlp("it ends too early")
        if size <= _SHORT or length[0] == 0:
            raise BadRlp("a length is not in its shortest form")
    if start + size > limit:
        raise BadRlp("it ends too early")
    return start, start + size
