"""The rows of ordinary steps as CBOR, many numbers at a time.

Every call adds a row to a file, so these are packed by `struct`, in a third of the time of `chain.crypto.cbor.encode`. It is
the same CBOR, except that numbers have a fixed width, which is not always the shortest. What does not fit is left to `encode`:
numbers that are too large, failures, messages between contracts, and whatever else is rare. Tests decode both.
"""

from __future__ import annotations

from functools import lru_cache
from struct import Struct, error
from typing import Final

from chain.crypto.cbor import encode
from chain.ledger.file.rows import serialize_row
from chain.ledger.receipts import Row
from chain.machine.state import ACCOUNT, STORAGE, Changes, LogRow

# The first byte of a CBOR item says its type, and how long its number is: 25, 26 and 27 in the lower bits are 2, 4 and 8 bytes.
_TWO, _FOUR, _EIGHT = 0x19, 0x1A, 0x1B
_BYTES, _ARRAY = 0x59, 0x99  # so many bytes or items follow; the number has 2 bytes
_ADDRESS: Final = 0x54  # 20 bytes follow
_HASH: Final = 0x5820  # 32 bytes follow
_SHORT: Final = 1 << 64  # numbers below have at most 8 bytes

# position, block, index, type, sender, to, length of the data
_pack_place = Struct(">HBIBIBHBB20sB20sBH").pack
# value, gas, nonce, fee, tip, access list and raw bytes (an empty tuple and None), address, digest, length of the output
_pack_request = Struct(">BQBQBIBQBQHB20sH32sBH").pack
# failure (None), gas used, gas price, number of items in the changes
_pack_price = Struct(">BBIBQBH").pack
# address, the word "account", then the account before and after: nonce, balance, hash of the code
_pack_account = Struct(">B20s10sIH16sH32sHIH16sH32s").pack
_pack_words = Struct(">B20sBQBQBQ").pack  # address, slot, before, after
_pack_log = Struct(">H20sB").pack  # address, number of topics
_pack_size = Struct(">BH").pack
_pack_tail = Struct(">4sBIBQ").pack  # four empty tuples, ticks, gas used in the block
# number, timestamp, base fee, coinbase, four places, gas used, prevrandao (None), gas of blobs, excess of it
_pack_block = Struct(">BBIBIBQB20sBIBIBIBIBQBBQBQ").pack


def encode_row(row: Row, block_gas: int) -> bytes:
    """Return the CBOR of a receipt's row, and after it the gas that its block had used then."""
    try:
        return _packed(row, block_gas)
    except (error, TypeError, ValueError, OverflowError):  # it has something that is not ordinary
        return encode((*serialize_row(row), block_gas))


def _packed(row: Row, block_gas: int) -> bytes:
    (
        position, block, index, kind, sender, to, data, value, gas, nonce, fee, tip, access_list, raw, address, digest,
        output, failure, used, price, changes, logs, undone_changes, undone_logs, calls, draws, ticks,
    ) = row  # fmt: skip
    if failure is not None or raw is not None or access_list or undone_changes or undone_logs:
        raise ValueError(row)
    if calls or draws:
        raise ValueError(row)
    parts = [
        _pack_place(
            0x981C, _FOUR, position, _FOUR, block, _TWO, index, kind, _ADDRESS, sender, _ADDRESS, to, _BYTES, len(data)
        ),
        data,
        _pack_request(
            _EIGHT, value, _EIGHT, gas, _FOUR, nonce, _EIGHT, fee, _EIGHT, tip, 0x80F6, _ADDRESS, address, _HASH, digest,
            _BYTES, len(output),
        ),
        output,
        _pack_price(0xF6, _FOUR, used, _EIGHT, price, _ARRAY, len(changes)),
    ]  # fmt: skip
    _add_changes(changes, parts)
    parts.append(_pack_size(_ARRAY, len(logs)))
    for log in logs:
        _add_log(log, digest, parts)
    parts.append(_pack_tail(b"\x80\x80\x80\x80", _FOUR, ticks, _EIGHT, block_gas))
    return b"".join(parts)


def _add_changes(changes: Changes, parts: list[bytes]) -> None:
    items = iter(changes)
    for address, slot, before, after in zip(items, items, items, items, strict=True):
        if slot is ACCOUNT and before is not None:
            (n, balance, code), (new_n, new_balance, new_code) = before, after
            parts.append(_pack_account(
                _ADDRESS, address, b"\x67account\x83\x1a", n, 0xC250, balance.to_bytes(16), _HASH, code,
                0x831A, new_n, 0xC250, new_balance.to_bytes(16), _HASH, new_code,
            ))  # fmt: skip
        elif slot is ACCOUNT:
            parts += (b"\x54", address, encode(slot), encode(before), encode(after))
        elif slot is STORAGE:
            raise ValueError(changes)
        elif slot < _SHORT and before is not None and after is not None and before < _SHORT > after:
            parts.append(
                _pack_words(_ADDRESS, address, _EIGHT, slot, _EIGHT, before, _EIGHT, after)
            )
        else:
            parts += (b"\x54", address, _word(slot), _word(before), _word(after))


def _word(word: int | None) -> bytes:
    if word is None:
        return b"\xf6"
    if word < 24:
        return bytes((word,))
    return b"\x1b" + word.to_bytes(8) if word < _SHORT else b"\xc2\x58\x20" + word.to_bytes(32)


def _add_log(log: LogRow, called: bytes, parts: list[bytes]) -> None:
    address, topics, data, kept, digest = log
    parts.append(_pack_log(0x8554, address, 0x80 + len(topics)))
    parts += map(_topic, topics)
    parts += (_pack_size(_BYTES, len(data)), data)
    if kept is None and digest == called:
        parts.append(b"\xf6\x00")
    else:
        parts += (encode(kept), b"\x00" if digest == called else encode(digest))


@lru_cache(maxsize=1 << 12)  # the same ones recur in many logs
def _topic(topic: int) -> bytes:
    return b"\xc2\x58\x20" + topic.to_bytes(32)


def encode_block(block: Row) -> bytes:
    """Return the CBOR of a block's row."""
    (
        number, time, base_fee, coinbase, first_change, first, end_change, end, used, prevrandao, blob_gas, excess,
    ) = block  # fmt: skip
    if prevrandao is not None:
        return encode(block)
    try:
        return _pack_block(
            0x8C, _FOUR, number, _FOUR, time, _EIGHT, base_fee, _ADDRESS, coinbase, _FOUR, first_change, _FOUR, first,
            _FOUR, end_change, _FOUR, end, _EIGHT, used, 0xF6, _EIGHT, blob_gas, _EIGHT, excess,
        )  # fmt: skip
    except error:
        return encode(block)
