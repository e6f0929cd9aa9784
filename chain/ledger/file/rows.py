"""Rows of the ledger in a chain's file: an object in memory becomes a flat tuple, and back.

Only the failures of messages are objects in a row. The exception behind a failure is not stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from chain.ledger.receipts import Row
from chain.machine.failure import Failure
from chain.machine.state import ACCOUNT, STORAGE, Changes, LogRow

# Their indexes in a row.
_DIGEST: Final = 15
_FAILURE, CHANGES, _LOGS, _UNDONE_CHANGES, _UNDONE_LOGS, _CALLS = 17, 20, 21, 22, 23, 24
_SIZE: Final = 27  # in a file, one more item follows: the gas that its block had used then
_CALL_FAILURE: Final = 7  # its index in the row of a call
# The state compares these two by identity.
_WORDS: Final = {ACCOUNT: ACCOUNT, STORAGE: STORAGE}


def serialize_row(row: Row) -> Row:
    """Return a receipt's row as numbers, bytes, texts, None and tuples."""
    packed = list(row)
    packed[_FAILURE] = _pack_failure(row[_FAILURE])
    for logs in (_LOGS, _UNDONE_LOGS):
        packed[logs] = [_pack_log(log, row[_DIGEST]) for log in row[logs]]
    packed[_CALLS] = _replace_failures(row[_CALLS], _pack_failure)
    return tuple(packed)


def deserialize_row(packed: Row) -> Row:
    """Return the row of a receipt from its serialized form."""
    row = list(packed[:_SIZE])
    row[_FAILURE] = _unpack_failure(row[_FAILURE])
    row[CHANGES] = unpack_changes(row[CHANGES])
    row[_UNDONE_CHANGES] = unpack_changes(row[_UNDONE_CHANGES])
    row[_CALLS] = _replace_failures(row[_CALLS], _unpack_failure)
    for logs in (_LOGS, _UNDONE_LOGS):
        row[logs] = tuple([_unpack_log(log, row[_DIGEST]) for log in row[logs]])
    return tuple(row)


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
