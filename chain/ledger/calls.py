"""The messages that a transaction sent: a flat list of rows in its receipt, read as a tree of records.

A row is followed by those of the messages that it sent itself, whose number it ends with. A tree may be a thousand levels deep,
so nothing here recurses.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Any, TypeAlias

from chain.foundation.dataclass import dataclass
from chain.foundation.sealed import Sealed, sealed
from chain.machine.failure import Failure
from chain.machine.frame import Frame
from chain.metering.program import Program
from chain.spec.contracts import EntrySpec
from chain.types import Address

# Kind, address, caller, digest of the Python contract, data, value, output, failure, number of messages that it sent.
CallRow: TypeAlias = tuple[str, bytes, bytes, bytes | None, bytes, int, bytes, Failure | None, int]


class DecodedMessage(Sealed, ABC):
    """A finished message, decoded by its contract: the common part of receipts and the records of inner calls."""

    __slots__ = ()

    data: bytes
    output: bytes
    _failure: Failure | None  # as the machine made it

    @abstractmethod
    def _named(self, failure: Failure) -> Failure:
        """Return a failure in the words of the chain."""

    @property
    def error(self) -> Failure | None:
        """The reason for a failure, with the revert data and the location in the contract's source; None if it did not fail."""
        failure = self._failure
        return None if failure is None else self._named(failure)

    @property
    @abstractmethod
    def _known(self) -> Program | None:
        """The contract that was called or created, if it is known."""

    @property
    @abstractmethod
    def _creates(self) -> bool:
        """True if the message created the contract."""

    @property
    def ok(self) -> bool:
        """True if it did not fail."""
        return self._failure is None

    @property
    def contract(self) -> str | None:
        """The name of the contract that was called or created, if it is known."""
        program = self._known
        return program.spec.name if program else None

    @property
    def entry_spec(self) -> EntrySpec | None:
        """The description of the entry."""
        program = self._known
        return program.spec.entry_for(self.data, creates=self._creates) if program else None

    @property
    def entry(self) -> str | None:
        """The name of the entry that was called; None if there is none."""
        entry = self.entry_spec
        return entry.name if entry else None

    @property
    def args(self) -> dict[str, Any]:
        """The arguments by name, decoded from the calldata; empty if they cannot be decoded."""
        return named_args(self._known, self.entry_spec, self.data, creates=self._creates)

    @property
    def return_value(self) -> Any:
        """The return value of the entry; the raw bytes if the contract is not known."""
        if self._failure is not None or self._creates:
            return None
        entry = self.entry_spec
        return entry.decode_result(self.output) if entry else self.output


def named_args(
    program: Program | None, entry: EntrySpec | None, data: bytes, *, creates: bool
) -> dict[str, Any]:
    """Return the arguments of a message by name; empty if its contract or entry is not known."""
    if program is None or entry is None:
        return {}
    return entry.name_args(program.args_of(data) if creates else data)


@sealed
@dataclass(frozen=True, slots=True, repr=False)
class CallRecord(DecodedMessage):
    """One finished message in the call tree of a transaction, decoded by its contract as a receipt is.

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
    value: int  # the wei sent with it
    output: bytes  # the encoded return value
    _failure: Failure | None
    calls: tuple[CallRecord, ...]  # the messages that it sent
    _naming: Callable[[Failure], Failure] = field(compare=False)
    _known: Program | None

    def _named(self, failure: Failure) -> Failure:
        return self._naming(failure)

    @property
    def _creates(self) -> bool:
        return self.kind == "create"

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
    rows: Sequence[CallRow],
    program_of: Callable[[bytes], Program | None],
    foreign_at: Callable[[bytes], Program | None],
    named: Callable[[Failure], Failure],
) -> tuple[CallRecord, ...]:
    """Return the messages that the transaction's first message sent.

    `program_of` finds a contract by its digest, `foreign_at` one in bytecode by its address; `named` returns a failure in the
    words of the chain. Of borrowed bytecode (a delegate) nothing is known, because its row does not have its address.
    """
    records: list[CallRecord] = []  # those whose sender follows, the last sent first
    for kind, address, caller, digest, data, value, output, failure, count in reversed(rows):
        first = len(records) - count
        sent = tuple(reversed(records[first:]))
        del records[first:]
        program = None if digest is None else program_of(digest)
        known = foreign_at(address) if digest is None and kind != "delegate" else program
        records.append(
            CallRecord(
                kind, Address(address), Address(caller), program, data, value, output, failure, sent, named, known,
            )
        )  # fmt: skip
    return tuple(reversed(records))


def walk(calls: Sequence[CallRecord], *, failed: bool) -> Iterator[CallRecord]:
    """Yield these messages and all below them, in the order they were sent; with `failed`, those that were undone too."""
    stack = list(reversed(calls))
    while stack:
        call = stack.pop()
        if failed or call.ok:
            yield call
            stack += reversed(call.calls)
