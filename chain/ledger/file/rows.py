"""Rows of the ledger as they go into a chain's file, and back: what is an object in memory becomes a flat tuple.

Two things in a row are objects: why a message failed, and the messages that a transaction sent. The exception that a failure
came from is not kept, and a contract's class neither: its digest stands in its place, until the class is declared again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from chain.ledger.receipts import Row
from chain.machine.frame import Failure
from chain.machine.state import ACCOUNT, STORAGE, Changes, LogRow
from chain.machine.transaction import CallRecord

Link = Callable[
    [CallRecord, bytes], None
]  # told of every call that was made of a contract with that digest

# Where they stand in a row.
_DIGEST: Final = 15
_FAILURE, CHANGES, _LOGS, _UNDONE_CHANGES, _UNDONE_LOGS, _CALLS = 17, 20, 21, 22, 23, 24
_WORDS: Final = {
    ACCOUNT: ACCOUNT,
    STORAGE: STORAGE,
}  # the state asks whether they are the same object


def serialize_row(row: Row) -> Row:
    """A receipt's row as numbers, bytes, texts, None and tuples."""
    packed = list(row)
    packed[_FAILURE] = _pack_failure(row[_FAILURE])
    for logs in (_LOGS, _UNDONE_LOGS):
        packed[logs] = [_pack_log(log, row[_DIGEST]) for log in row[logs]]
    packed[_CALLS] = tuple(_pack_calls(row[_CALLS]))
    return tuple(packed)


def deserialize_row(packed: Row, link: Link) -> Row:
    """The row again."""
    row = list(packed)
    row[_FAILURE] = _unpack_failure(row[_FAILURE])
    row[CHANGES] = unpack_changes(row[CHANGES])
    row[_UNDONE_CHANGES] = unpack_changes(row[_UNDONE_CHANGES])
    row[_CALLS] = _unpack_calls(row[_CALLS], link)
    for logs in (_LOGS, _UNDONE_LOGS):
        row[logs] = tuple([_unpack_log(log, row[_DIGEST]) for log in row[logs]])
    return tuple(row)


def unpack_changes(changes: Changes) -> Changes:
    slots = changes[1::4]
    if ACCOUNT not in slots and STORAGE not in slots:
        return changes
    made = list(changes)
    made[1::4] = [_WORDS.get(slot, slot) for slot in slots]
    return tuple(made)


def _pack_failure(failure: Failure | None) -> Row | None:
    if failure is None:
        return None
    return failure.kind, failure.text, failure.data, failure.file, failure.line


def _unpack_failure(packed: Row | None) -> Failure | None:
    if packed is None:
        return None
    kind, text, data, file, line = packed
    return Failure(kind, text, data, None, file, line)


def _pack_log(log: LogRow, called: bytes | None) -> Row:
    """The digest of the code that was called, which mostly wrote the log, is 0."""
    *rest, digest = log
    return *rest, 0 if digest is not None and digest == called else digest


def _unpack_log(packed: Row, called: bytes | None) -> LogRow:
    address, topics, data, kept, digest = packed
    return address, topics, data, kept, called if digest == 0 else digest


def _pack_calls(calls: Sequence[CallRecord]) -> Iterator[Row]:
    """A tree as a list, each message before those it sent, with their number: it may be a thousand deep."""
    left = list(reversed(calls))
    while left:
        call = left.pop()
        left += reversed(call.calls)
        digest = None if call.program is None else call.program.digest
        yield (
            call.kind, call.address, call.caller, digest, call.data, call.value, call.output,
            _pack_failure(call.failure), len(call.calls),
        )  # fmt: skip


def _unpack_calls(packed: Sequence[Row], link: Link) -> tuple[CallRecord, ...]:
    made: list[CallRecord] = []  # those whose sender is still to come, the first at the end
    for *row, failure, count in reversed(packed):
        kind, address, caller, digest, data, value, output = row
        inner = tuple(reversed(made[len(made) - count :]))
        del made[len(made) - count :]
        call = CallRecord(
            kind, address, caller, None, data, value, output, _unpack_failure(failure), inner
        )
        if digest is not None:
            link(call, digest)
        made.append(call)
    return tuple(reversed(made))
