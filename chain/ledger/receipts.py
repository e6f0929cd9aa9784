"""Receipts: the record of every transaction, failed ones included, complete as soon as the call returns.

The ledger stores a transaction as a row, one flat tuple of numbers and bytes. A `Receipt` gives names to that row, and
decodes the bytes on demand: entry, arguments, return value, events, writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar, overload

from chain.foundation.atomic_steps import locked
from chain.foundation.sealed import setter
from chain.ledger.calls import CallRecord, CallRow, DecodedMessage, call_rows, call_tree
from chain.ledger.decoded.writes import Write, undone_writes_of, writes_of
from chain.ledger.logs import Log
from chain.machine.failure import Failure
from chain.machine.forced_random import DrawRecord
from chain.machine.state import Changes, LogRow
from chain.machine.transaction import Transaction, TransactionResult
from chain.metering.program import Program
from chain.schema.validation import short_repr
from chain.types import Address

if TYPE_CHECKING:
    from chain.ledger.decoded.trace import Trace
    from chain.ledger.ledger import Ledger

Row: TypeAlias = tuple[Any, ...]
E = TypeVar("E")


class EventList(Sequence[Any]):
    """The decoded events of a receipt, in order; `events["Moved"]` and `events.one(Moved)` select by type.

    >>> receipt.events[0].square, len(receipt.events["Moved"]), receipt.events[Moved]
    (4, 1, [Moved(player=Address('0xf39F...'), square=4)])
    """

    __slots__ = ("_events", "_types")

    def __init__(self, ledger: Ledger, rows: Sequence[LogRow]) -> None:
        self._events, self._types = ledger.decode_rows(rows), ledger.event_types

    def __len__(self) -> int:
        return len(self._events)

    @overload
    def __getitem__(self, key: int) -> Any: ...
    @overload
    def __getitem__(self, key: type[E]) -> list[E]: ...
    @overload
    def __getitem__(self, key: slice | str) -> list[Any]: ...
    def __getitem__(self, key: int | slice | str | type) -> Any:
        if isinstance(key, int | slice):
            return self._at(key)
        if not isinstance(key, str | type):
            raise TypeError(f"{short_repr(key)} is not an event: pass its class or its name")
        events = [event for event in self._events if is_event(event, key)]
        if not events and isinstance(key, str):
            self._types.check_name(key)
        return events

    def _at(self, place: int | slice) -> Any:
        try:
            return self._events[place]
        except IndexError:
            raise IndexError(f"there is no event {place}: there are {len(self)}") from None

    @overload
    def one(self, kind: type[E]) -> E: ...
    @overload
    def one(self, kind: str) -> Any: ...
    def one(self, kind: str | type[Any]) -> Any:
        """Return the only event of that type; raise LookupError if there is none or more than one.

        >>> receipt.events.one(Moved).square
        4
        """
        if isinstance(kind, int):
            raise TypeError(f"{short_repr(kind)} is not an event: pass its class or its name")
        events = self[kind]
        if len(events) != 1:
            name = kind if isinstance(kind, str) else kind.__name__
            raise LookupError(
                f"there are {len(events)} events {name}, not one; there are {self._events}"
            )
        return events[0]

    def __eq__(self, other: object) -> bool:
        return list(self._events) == list(other) if isinstance(other, Sequence) else NotImplemented

    def __repr__(self) -> str:
        return repr(self._events)


def is_event(event: object, kind: str | type) -> bool:
    if isinstance(kind, str):
        return kind in (type(event).__name__, getattr(event, "name", None))
    return isinstance(event, kind)


def receipt_tuple(
    tx: Transaction, outcome: TransactionResult, block: int, index: int, position: int
) -> Row:
    """Return the row that the ledger stores for a transaction, in the order that `Receipt` reads."""
    frame, context = outcome.frame, outcome.context
    program = frame.program
    return (
        position, block, index,
        tx.type, tx.sender, tx.to, tx.data, tx.value, tx.gas, tx.nonce, tx.max_fee, tx.tip, tx.access_list, tx.raw,
        frame.address, program.digest if program is not None else None, frame.output, frame.failure,
        outcome.gas_used, outcome.gas_price, outcome.changes, outcome.logs,
        context.undone_changes, context.undone_logs, call_rows(frame) if frame.children else (),
        () if context.forced_random is None else context.forced_random.drain_record(),
        context.ticks,
    )  # fmt: skip


def _of_row(place: int) -> Any:
    """Return a read-only property for the row's item at index `place`."""
    return property(lambda receipt: receipt.row[place])


def _failure_of_row(place: int) -> Any:
    def read(receipt: Receipt) -> Failure | None:
        failure: Failure | None = receipt.row[place]
        return None if failure is None else receipt.ledger.in_words(failure)

    return property(read)


LOGS: Final = 21  # their index in a row


class Receipt(DecodedMessage):
    """The record of one transaction: the request, the outcome and its effects.

    >>> receipt.ok, receipt.sender == alice, receipt.contract, receipt.entry, receipt.args, receipt.return_value
    (True, True, 'Race', 'roll', {}, 4)
    >>> receipt.events, receipt.logs[1], receipt.writes[1]
    ([Moved(player=Address('0xf39F...'), square=4)], Log('4 eyes'), Race.rolls[0]: 0 -> 4)
    >>> receipt.block_number, receipt.timestamp, receipt.gas_used > 21_000, len(receipt.tx_hash)
    (3, 1704067203, True, 32)
    >>> race.roll(value=1, check=False).error.text
    'Race.roll takes no value: it is not payable'
    """

    __slots__ = ("ledger", "row")

    ledger: Ledger  # the ledger that it is part of
    row: Row  # the row as it is stored
    position: int = _of_row(0)  # its number on the chain
    block_number: int = _of_row(1)  # the number of its block
    index: int = _of_row(2)  # its number in the block
    type: int = _of_row(3)  # 0, 1, 2 or 4, as on Ethereum
    _sender: bytes = _of_row(4)
    _to: bytes | None = _of_row(5)
    data: bytes = _of_row(6)  # the calldata, or the init code
    value: int = _of_row(7)  # the wei sent with it
    gas: int = _of_row(8)  # the gas limit
    nonce: int = _of_row(9)  # the count of the sender's transactions before
    max_fee: int = _of_row(10)  # the maximum price of a unit of gas, in wei
    tip: int = _of_row(11)  # the maximum part of it that goes to the coinbase
    # The accounts and slots that were paid for in advance (EIP-2930).
    access_list: tuple[tuple[bytes, tuple[int, ...]], ...] = _of_row(12)
    raw: bytes | None = _of_row(13)  # its signed bytes, if it was sent signed
    _address: bytes = _of_row(14)
    _digest: bytes | None = _of_row(15)
    output: bytes = _of_row(16)  # the encoded return value; the revert data of a failure
    # The reason for a failure, with the revert data and the location in the contract's source.
    error: Failure | None = _failure_of_row(17)
    gas_used: int = _of_row(18)  # the gas it cost, without the refund
    gas_price: int = _of_row(19)  # the price of a unit of gas, in wei
    changes: Changes = _of_row(20)  # the journal of words and accounts
    log_rows: Sequence[LogRow] = _of_row(LOGS)  # the logs as they are stored
    undone_changes: Changes = _of_row(22)  # the journal of the undone changes
    undone_log_rows: Sequence[LogRow] = _of_row(23)  # the logs that were undone
    call_rows: tuple[CallRow, ...] = _of_row(24)  # the messages as they are stored
    forced_random: DrawRecord = _of_row(25)  # the forced random outcomes
    ticks: int = _of_row(26)  # the cost of the contracts' own computation

    def __init__(self, ledger: Ledger, row: Row) -> None:
        _set_ledger(self, ledger)
        _set_row(self, row)

    @property
    def lock(self) -> Any:
        """The lock of the chain."""
        return self.ledger.lock

    # Outcome

    @property
    def status(self) -> int:
        """1 if it did not fail, else 0."""
        return int(self.error is None)

    # Request

    @property
    def sender(self) -> Address:
        """The account that sent it."""
        return Address(self._sender)

    @property
    def to(self) -> Address | None:
        """The account that it was sent to; None if it created a contract."""
        return None if self._to is None else Address(self._to)

    @property
    def address(self) -> Address:
        """The address that was called, or that of the created contract."""
        return Address(self._address)

    @property
    def program(self) -> Program | None:
        """The Python contract that was called or created."""
        return None if self._digest is None else self.ledger.program(self._digest)

    @property
    def _known(self) -> Program | None:
        """The contract that was called or created: in Python, or in bytecode that is known by its ABI."""
        return self.ledger.foreign.get(self._address) if self._digest is None else self.program

    @property
    def _creates(self) -> bool:
        return self._to is None

    @property
    def is_undeclared(self) -> bool:
        """True if it ran a Python contract whose class is not declared here."""
        return self._digest is not None and self._digest not in self.ledger.programs

    # Effects

    @property
    def calls(self) -> tuple[CallRecord, ...]:
        """The messages that the contract sent, each with those that it sent in turn."""
        ledger = self.ledger
        return call_tree(self.call_rows, ledger.program, ledger.foreign.get, ledger.in_words)

    @property
    def logs(self) -> list[Log]:
        """All logs, texts and events; `receipt.logs == ["4 eyes"]` compares texts."""
        return [Log(self, i, row) for i, row in enumerate(self.log_rows)]

    @property
    def events(self) -> EventList:
        """The declared events among the logs, decoded."""
        return EventList(self.ledger, self.log_rows)

    @property
    @locked
    def writes(self) -> list[Write]:
        """The storage changes: fields, members and models, each with its value before and after."""
        return writes_of(self)

    @property
    @locked
    def undone_writes(self) -> list[Write]:
        """The storage changes that were undone."""
        return undone_writes_of(self)

    @property
    def undone_events(self) -> EventList:
        """The events that were emitted and undone."""
        return EventList(self.ledger, self.undone_log_rows)

    @property
    def trace(self) -> Trace:
        """All messages with their steps: values read and written, logs, calls. The transaction is run again to get them."""
        return self.ledger.trace(self)

    # Time and identity

    @property
    def timestamp(self) -> int:
        """The time of its block."""
        return self.ledger.time_of(self.block_number)

    @property
    def tx_hash(self) -> bytes:
        """The hash of the signed transaction."""
        return self.ledger.hash_of(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Receipt):
            return False
        return self.row is other.row or self.ledger.receipts.is_same(self, other)

    def __hash__(self) -> int:
        return hash((self.position, self._sender, self.nonce))

    def __repr__(self) -> str:
        target = ".".join(filter(None, (self.contract, self.entry))) or (
            str(self.to) if self.to else "creation"
        )
        outcome = "ok" if self.ok else f"failed: {self.error}"
        return f"<Receipt {target} in block {self.block_number}: {outcome}>"


_set_ledger, _set_row = setter(Receipt, "ledger"), setter(Receipt, "row")
