"""The messages that a transaction sent: a flat list of rows in its receipt, read as a tree of records.

A row is followed by those of the messages that it sent itself, whose number it ends with. A tree may be a thousand levels deep,
so nothing here recurses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from chain.machine.failure import Failure
from chain.machine.frame import Frame
from chain.metering.program import Program
from chain.spec.contracts import EntrySpec
from chain.types import Address

# Kind, address, caller, digest of the Python contract, data, value, output, failure, number of messages that it sent.
CallRow: TypeAlias = tuple[str, bytes, bytes, bytes | None, bytes, int, bytes, Failure | None, int]


@dataclass(slots=True, repr=False)
class CallRecord:
    """One finished message in the call tree of a transaction, in the words of its contract as a receipt has them.

    >>> class Fan(Contract):
    ...     @call
    ...     def cheer(self, race: Address) -> u8:
    ...         return self.at(Race, race).square_of(self.caller)
    >>> (sent,) = chain.deploy(Fan).cheer(race).calls
    >>> sent.kind, sent.contract, sent.entry, sent.return_value, sent.address == race.address
    ('static', 'Race', 'square_of', 4, True)
    """

    kind: str  # "call", "static", "delegate" or "create"
    address: Address  # the account that it was sent to
    caller: Address  # the account that sent it
    program: Program | None  # the Python contract that ran
    data: bytes  # the calldata
    value: int  # the wei that came with it
    output: bytes  # what it returned, encoded
    error: Failure | None  # why it failed; None if it did not
    calls: tuple[CallRecord, ...]  # the messages that it led to

    @property
    def ok(self) -> bool:
        """True if the message succeeded."""
        return self.error is None

    @property
    def contract(self) -> str | None:
        """The name of the Python contract that was called or created."""
        return self.program.spec.name if self.program else None

    @property
    def entry_spec(self) -> EntrySpec | None:
        """The declaration of the entry that was called."""
        if self.program is None:
            return None
        spec = self.program.spec
        return spec.init if self.kind == "create" else spec.by_selector.get(self.data[:4])

    @property
    def entry(self) -> str | None:
        """The name of the entry that was called."""
        entry = self.entry_spec
        return entry.name if entry else None

    @property
    def args(self) -> dict[str, Any]:
        """The arguments by name; empty if they cannot be decoded."""
        entry, program = self.entry_spec, self.program
        if entry is None or program is None:
            return {}
        return entry.name_args(program.args_of(self.data) if self.kind == "create" else self.data)

    @property
    def return_value(self) -> Any:
        """The return value of the entry; the raw bytes if the contract is not a Python contract."""
        if self.error is not None or self.kind == "create":
            return None
        entry = self.entry_spec
        return entry.decode_result(self.output) if entry else self.output

    def __repr__(self) -> str:
        target = ".".join(filter(None, (self.contract, self.entry))) or str(self.address)
        outcome = "ok" if self.ok else f"failed: {self.error}"
        return f"<Call {target}: {outcome}>"


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
            CallRecord(
                kind, Address(address), Address(caller), program, data, value, output, failure, sent
            )
        )
    return tuple(reversed(records))


def walk(calls: Sequence[CallRecord], *, failed: bool) -> Iterator[CallRecord]:
    """Yield these messages and all below them, in the order they were sent; with `failed`, those that were undone too."""
    stack = list(reversed(calls))
    while stack:
        call = stack.pop()
        if failed or call.ok:
            yield call
            stack += reversed(call.calls)
