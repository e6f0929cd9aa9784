"""Rows of the ledger in a chain's file: an object in memory becomes a flat tuple, and back.

Only the failures of messages are objects in a row. The exception behind a failure is not stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from chain.ledger.receipts import ReceiptRow
from chain.machine.failure import Failure
from chain.machine.state import ACCOUNT, STORAGE, Changes, LogRow

Row: TypeAlias = tuple[Any, ...]

_SIZE: Final = len(
    ReceiptRow._fields
)  # in a file, one more item follows: the gas that its block had used then
_PLACES: Final = {name: place for place, name in enumerate(ReceiptRow._fields)}
_FAILURE, CHANGES, _UNDONE_CHANGES, _CALLS = map(
    _PLACES.__getitem__, ("failure", "changes", "undone_changes", "calls")
)
_BOTH_LOGS: Final = _PLACES["logs"], _PLACES["undone_logs"]
_CALL_FAILURE: Final = 7  # its index in the row of a call
# The state compares these two by identity.
_WORDS: Final = {ACCOUNT: ACCOUNT, STORAGE: STORAGE}


def serialize_row(row: ReceiptRow) -> Row:
    """Return a receipt's row as numbers, bytes, texts, None and tuples."""
    packed: list[Any] = list(row)
    packed[_FAILURE] = _pack_failure(row.failure)
    for place, logs in zip(_BOTH_LOGS, (row.logs, row.undone_logs), strict=True):
        packed[place] = [_pack_log(log, row.digest) for log in logs]
    packed[_CALLS] = _replace_failures(row.calls, _pack_failure)
    return tuple(packed)


def deserialize_row(packed: Row) -> ReceiptRow:
    """Return the row of a receipt from its serialized form."""
    row = list(packed[:_SIZE])
    row[_FAILURE] = _unpack_failure(row[_FAILURE])
    row[CHANGES] = unpack_changes(row[CHANGES])
    row[_UNDONE_CHANGES] = unpack_changes(row[_UNDONE_CHANGES])
    row[_CALLS] = _replace_failures(row[_CALLS], _unpack_failure)
    for logs in _BOTH_LOGS:
        row[logs] = tuple([_unpack_log(log, row[_PLACES["digest"]]) for log in row[logs]])
    return ReceiptRow._make(row)


def unpack_changes(changes: Changes) -> Changes:
    """Return the changes with the markers `ACCOUNT` and `STORAGE` as the objects that the state knows."""
    slots = changes[1::4]
    if ACCOUNT not in slots and STORAGE not in slots:
        return changes
    unpacked = list(changes)
    unpacked[1::4] = [_WORDS.get(slot, slot) for slot in slots]
    return tuple(unpacked)


def _pack_failure(failure: Failure | None) -> Row | None:
    if failure is None:
        return None
    return failure.kind, failure.text, failure.data, failure.file, failure.line


def _unpack_failure(packed: Row | None) -> Failure | None:
    if packed is None:
        return None
    failure_type, text, data, file, line = packed
    return Failure(failure_type, text, data, None, file, line)


def _pack_log(log: LogRow, called: bytes | None) -> Row:
    """Return a log's row with the digest as 0 if it is that of the called code, which is the usual case."""
    *rest, digest = log
    return *rest, 0 if digest is not None and digest == called else digest


def _unpack_log(packed: Row, called: bytes | None) -> LogRow:
    address, topics, data, kept, digest = packed
    return address, topics, data, kept, called if digest == 0 else digest


def _replace_failures(calls: Sequence[Row], convert: Callable[[Any], Any]) -> tuple[Row, ...]:
    return tuple([(*row[:_CALL_FAILURE], convert(row[_CALL_FAILURE]), row[-1]) for row in calls])
