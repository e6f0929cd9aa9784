"""Texts that have an ABI encoding of their own: reasons of reverts, and text logs."""

from __future__ import annotations

from typing import Final

from chain.crypto.hashing import keccak

_ERROR: Final = keccak(b"Error(string)")[:4]
_PANIC: Final = keccak(b"Panic(uint256)")[:4]
_OFFSET: Final = 32 << 256  # in the word before the length
# The zeros that follow a text or bytes, by their number.
PADDING: Final = [bytes(size) for size in range(32)]
TEXT_TOPICS: Final = (int.from_bytes(keccak(b"Log(string)")),)  # of a text log


def revert_data(text: str) -> bytes:
    """Return revert data as Solidity's `revert("…")` encodes it: Error(string)."""
    return _ERROR + text_data(text)


def text_data(text: str) -> bytes:
    """Return `text` in ABI encoding, as the only value: its offset, its length, then its bytes padded to whole words."""
    try:
        raw = text.encode()
    except UnicodeEncodeError:  # half of a character
        raw = text.encode("utf-8", "replace")
    size = len(raw)
    return b"".join(((_OFFSET + size).to_bytes(64), raw, PADDING[-size & 31]))


def has_reason(data: bytes) -> bool:
    """True if revert data is an `Error(string)`."""
    return data[:4] == _ERROR and len(data) >= 68


def revert_text(data: bytes) -> str:
    """Return the reason in revert data, read as `Error(string)` or `Panic(uint256)`, or the bytes in hex if it is neither."""
    if has_reason(data):
        size = int.from_bytes(data[36:68])
        return data[68 : 68 + size].decode("utf-8", "replace")
    if data[:4] == _PANIC and len(data) == 36:
        return f"panic {int.from_bytes(data[4:]):#x}"
    return f"0x{data.hex()}" if data else "reverted without a reason"
