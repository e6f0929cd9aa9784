"""Rows as bytes, in MessagePack: whole numbers, bytes, texts, None, and tuples of these.

The rows in a chain's file have this format, which any language reads. Nothing in it can run: a stranger's file is read or
refused. A number beyond 64 bits is an extension with its magnitude, a text with lone surrogates one with its bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final

from msgspec import DecodeError
from msgspec.msgpack import Decoder, Encoder, Ext

_HIGHEST: Final = (1 << 64) - 1
_NUMBER, _TEXT = 1, 2  # the extensions
_BASES: Final[tuple[tuple[type, Callable[[Any], object]], ...]] = (
    (int, int),
    (bytes, bytes),
    (str, str.__str__),
    (tuple, tuple),
    (list, tuple),
)


class BadRow(ValueError):
    """Raised for bytes that `encode` cannot have produced."""


def encode(value: object) -> bytes:
    """Return a row as bytes."""
    return _encode(_plain(value))


def _plain(value: Any) -> Any:
    """Return a value that is not plain already in the terms of MessagePack."""
    kind = value.__class__
    if kind is tuple or kind is list or isinstance(value, tuple):
        return _items(value)
    if kind is int:
        return value if 0 <= value <= _HIGHEST else _large(value)
    if kind is str:
        try:
            value.encode()
        except UnicodeEncodeError:
            return Ext(_TEXT, value.encode("utf-8", "surrogatepass"))
        return value
    if value is None or kind is bytes:
        return value
    for base, plain in _BASES:
        if isinstance(value, base):
            return _plain(plain(value))
    raise TypeError(f"{value!r} cannot be stored in a row")


@lru_cache(maxsize=1 << 13)  # slots and topics recur in many rows
def _large(value: int) -> Ext:
    if value < 0:
        raise TypeError(f"{value!r} cannot be stored in a row")
    return Ext(_NUMBER, value.to_bytes(-(-value.bit_length() // 8)))


def _items(values: Iterable[Any]) -> list[Any]:
    return [
        value
        if (kind := value.__class__) is bytes or value is None
        else (value if 0 <= value <= _HIGHEST else _large(value))
        if kind is int
        else _items(value)
        if kind is tuple or kind is list
        else _plain(value)
        for value in values
    ]


def decode(raw: bytes) -> Any:
    """Return the value that `raw` encodes, or raise `BadRow`."""
    try:
        value = _decode(raw)
    except (DecodeError, ValueError, RecursionError):
        raise BadRow("these bytes are not a row") from None
    return _frozen(value) if value.__class__ is list else value


def _frozen(values: list[Any]) -> tuple[Any, ...]:
    """Return a list as a tuple, with all in it."""
    return tuple([_frozen(value) if value.__class__ is list else value for value in values])


def _extension(code: int, content: memoryview) -> Any:
    if code == _NUMBER:
        return int.from_bytes(content)
    if code == _TEXT:
        return bytes(content).decode("utf-8", "surrogatepass")
    raise BadRow("these bytes are not a row")


_encode: Final = Encoder().encode
_decode: Final = Decoder(ext_hook=_extension).decode
