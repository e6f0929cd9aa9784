"""Checksums: a row in a chain's file is MessagePack after a CRC-32 of its bytes and its key.

So a row that was altered is detected, and so is one that was moved to another key.
"""

from __future__ import annotations

from collections.abc import Hashable
from zlib import crc32

from chain.crypto.messagepack import encode


class Damaged(ValueError):
    """Something in a chain's file is not as it was written; the message names it."""


def add_checksum(table: str, key: Hashable, row: object) -> bytes:
    """Return a row as it is stored: its checksum, then its bytes."""
    return sealed(table, key, encode(row))


def sealed(table: str, key: Hashable, raw: bytes) -> bytes:
    """Return the bytes of a row as they are stored: after their checksum."""
    return crc32(raw, crc32(f"{table} {key!r}".encode())).to_bytes(4) + raw


def opened(table: str, key: Hashable, stored: object) -> bytes:
    """Check the checksum of a stored row and return the bytes after it."""
    if not isinstance(stored, bytes):
        raise Damaged(f'row {_location(key)} of "chain:{table}" is not as it was written')
    raw = stored[4:]
    if sealed(table, key, raw) != stored:
        raise Damaged(f'row {_location(key)} of "chain:{table}" is not as it was written')
    return raw


def _location(key: Hashable) -> str:
    if isinstance(key, tuple):
        return ", ".join(map(_location, key))
    return f"0x{key.hex()}" if isinstance(key, bytes) else str(key)
