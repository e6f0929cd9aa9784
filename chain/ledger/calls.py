"""The messages that a transaction sent: a flat list of rows in its receipt, read as a tree of records.

A row is followed by those of the messages that it sent itself, whose number it ends with. A tree may be a thousand levels deep,
so nothing here recurses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from chain.machine.failure import Failure
from chain.machine.frame import Frame
from chain.metering.program import Program

# Kind, address, caller, digest of the Python contract, data, value, output, failure, number of messages that it sent.
CallRow: TypeAlias = tuple[str, bytes, bytes, bytes | None, bytes, int, bytes, Failure | None, int]


@dataclass(slots=True)
class CallRecord:
    """One finished message in the call tree of a transaction.

    >>> class Fan(Contract):
    ...     @call
    ...     def cheer(self, race: Address) -> u8:
    ...         return self.at(Race, race).square_of(self.caller)
    >>> (sent,) = chain.deploy(Fan).cheer(race).calls
    >>> sent.kind, sent.address == race.address, sent.value, sent.calls, sent.failure
    ('static', True, 0, (), None)
    """

    kind: str  # "call", "static", "delegate" or "create"
    address: bytes  # the account that it was sent to
    caller: bytes  # the account that sent it
    program: Program | None  # the Python contract that ran
    data: bytes  # the calldata
    value: int  # the wei that came with it
    output: bytes  # what it returned, encoded
    failure: Failure | None  # why it failed; None if it did not
    calls: tuple[CallRecord, ...]  # the messages that it led to


def call_rows(frame: Frame) -> tuple[CallRow, ...]:
    """Return the rows of all messages below `frame`."""
    rows: list[CallRow] = []
    stack = frame.children[::-1]
    while stack:
        call = stack.pop()
        stack += reversed(call.children)
        program = call.program
        rows.append((
            call.kind, call.address, call.caller, None if program is None else program.digest, call.data, call.value,
            call.output, call.failure, len(call.children),
        ))  # fmt: skip
    return tuple(rows)


def call_tree(
    rows: Sequence[CallRow], program_of: Callable[[bytes], Program | None]
) -> tuple[CallRecord, ...]:
    """Return the messages that the transaction's first message sent; `program_of` finds a contract by its digest."""
    records: list[CallRecord] = []  # those whose sender follows, the last sent first
    for kind, address, caller, digest, data, value, output, failure, count in reversed(rows):
        first = len(records) - count
        sent = tuple(reversed(records[first:]))
        del records[first:]
        program = None if digest is None else program_of(digest)
        records.append(
            CallRecord(kind, address, caller, program, data, value, output, failure, sent)
        )
    return tuple(reversed(records))


def walk(calls: Sequence[CallRecord], *, failed: bool) -> Iterator[CallRecord]:
    """Yield these messages and all below them, in the order they were sent; with `failed`, those that were undone too."""
    stack = list(reversed(calls))
    while stack:
        call = stack.pop()
        if failed or call.failure is None:
            yield call
            stack += reversed(call.calls)
