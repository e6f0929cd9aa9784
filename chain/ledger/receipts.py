"""Receipts: the record of every transaction, failed ones included, complete as soon as the call returns.

The ledger stores a transaction as a row, one flat tuple of numbers and bytes. A `Receipt` gives names to that row, and
decodes the bytes on demand: entry, arguments, return value, events, writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Final, Protocol, Self, TypeAlias, overload

from chain.foundation.atomic_steps import locked
from chain.foundation.sealed import Sealed, put, setter
from chain.foundation.thread_lock import ThreadLock
from chain.ledger import decoded
from chain.ledger.blocks import Block, Blocks
from chain.ledger.calls import CallRecord, CallRow, DecodedMessage, call_rows, call_tree, walk
from chain.ledger.logs import Decoding, EventList, text_of
from chain.ledger.timeline import Changing
from chain.machine.failure import Failure, with_declared_error
from chain.machine.forced_random import DrawRecord
from chain.machine.state import Changes, LogRow
from chain.machine.transaction import Transaction, TransactionResult
from chain.metering.program import Program
from chain.types import Address

Row: TypeAlias = tuple[Any, ...]


class Receipts(Protocol):
    """The list that a receipt is part of."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, place: int) -> Receipt: ...
    @overload
    def __getitem__(self, place: slice) -> list[Receipt]: ...
    def contains(self, receipt: Receipt) -> bool: ...
    def is_same(self, one: Receipt, other: Receipt) -> bool: ...


class DerivedTables(Protocol):
    """The derived tables of a ledger, in which queries look: see `chain.ledger.store`."""

    @property
    def tables(self) -> Sequence[Any]:
        """All tables that `chain.sql` has now."""

    @property
    def view(self) -> Any:
        """The tables as `chain.sql` sees them."""

    def connection(self, *, writing: bool = False) -> Any:
        """Return the connection to the database."""

    def reading(self) -> AbstractContextManager[None]:
        """Scope in which the tables stay as they are, unless they are brought up to date."""

    def ask(
        self, part: str, question: str, values: Sequence[object] = (), until: float = ...
    ) -> list[Any]:
        """Return the rows of a query on a part of the tables, up to date, or at least up to a receipt or moment."""

    @property
    def has_undone(self) -> bool:
        """True if the tables may have rows of what was undone."""

    def covered(self, part: str) -> int:
        """Return how many blocks, moments or receipts a part covers, as far as it is valid."""

    def pages(self, part: str, column: str, decoded: Callable[[Any], Any]) -> Sequence[Any]:
        """Return the rows of a part that a file has now, as a sequence that is read on demand."""

    def index(self, name: str, text: str) -> None:
        """Make an index for a query that is asked for the first time, if this process writes the tables."""

    def view_of(self, kind: str, key: object) -> str:
        """Return the name of the table of a type of event or model."""

    def is_behind(self) -> bool:
        """Return True if the tables are not there yet, or lack rows of the ledger."""

    def catch_up(self, parts: Iterable[str] | None = ..., seconds: float = ...) -> bool:
        """Bring parts of the tables up to date, for about so many seconds; return True if they are."""

    def keep(self, blocks: int, moments: int, receipts: int) -> None:
        """Take note that the ledger was cut."""

    def drop(self) -> None:
        """Drop all tables, so that they are made again."""

    def close(self) -> None:
        """Close the connection; the next query opens it again."""


class Record(Changing, Decoding, Protocol):
    """The part of a ledger that knows transactions: their receipts, their blocks, and what can be derived from them."""

    @property
    def receipts(self) -> Receipts: ...
    @property
    def blocks(self) -> Blocks: ...
    @property
    def open(self) -> Block | None: ...
    @property
    def store(self) -> DerivedTables: ...
    def then(self, moment: int) -> Self: ...
    def timeline_index(self, receipt: Receipt) -> int: ...
    def receipt_at_index(self, moment: int) -> Receipt | None: ...
    def time_of(self, number: int) -> int: ...
    def block_hash(self, number: int) -> bytes: ...
    def hash_of(self, receipt: Receipt) -> bytes: ...
    def envelope_of(self, receipt: Receipt) -> bytes: ...
    def word_after(self, receipt: Receipt, address: bytes, slot: int) -> int: ...
    def trace(self, receipt: Receipt) -> decoded.Trace: ...


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
        return (
            None if failure is None else with_declared_error(failure, receipt.ledger.decode_error)
        )

    return property(read)


REQUEST: Final = slice(
    3, 14
)  # the fields of the transaction in a row, from its type to its signed bytes
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

    ledger: Record  # the ledger that it is part of
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

    def __init__(self, ledger: Record, row: Row) -> None:
        _set_ledger(self, ledger)
        _set_row(self, row)

    @property
    def lock(self) -> ThreadLock:
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
        return call_tree(self.call_rows, ledger.program, ledger.foreign.get, ledger.decode_error)

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
    def writes(self) -> list[decoded.Write]:
        """The storage changes: fields, members and models, each with its value before and after."""
        return self._decode_writes(decoded.net_changes(self.changes))

    @property
    @locked
    def undone_writes(self) -> list[decoded.Write]:
        """The storage changes that were undone."""
        return self._decode_writes(decoded.net_of_undone(self.undone_changes))

    def _decode_writes(self, net: decoded.NetChanges) -> list[decoded.Write]:
        called: dict[bytes, Program] = {
            call.address: call.program
            for call in walk(self.calls, failed=True)
            if call.program is not None
        }
        if self.program is not None:
            called[self.address] = self.program
        word_after = partial(self.ledger.word_after, self)
        return list(decoded.decode_writes(self.ledger, net, called, word_after))

    @property
    def undone_events(self) -> EventList:
        """The events that were emitted and undone."""
        return EventList(self.ledger, self.undone_log_rows)

    @property
    def trace(self) -> decoded.Trace:
        """All messages with their steps: values read and written, logs, calls. The transaction is run again to get them."""
        return self.ledger.trace(self)

    @locked
    def as_dict(self) -> dict[str, Any]:
        """Return the receipt as JSON: the form of `chain.export_jsonl`, of `--json` and of JSON-RPC.

        >>> told = receipt.as_dict()
        >>> told["entry"], told["result"], told["logs"][0]["event"], told["writes"][1]["text"]
        ('roll', 4, 'Moved', 'Race.rolls[0]: 0 -> 4')
        """
        return decoded.JsonObjects(self.ledger).receipt(self)

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


class Log(Sealed):
    """One log of a receipt. A text log equals its text: `receipt.logs == ["Player 1 passed."]`.

    >>> moved, said = receipt.logs
    >>> said == "4 eyes", said.text, moved.text, moved.event
    (True, '4 eyes', None, Moved(player=Address('0xf39F...'), square=4))
    >>> moved.address == race.address, len(moved.topics), int.from_bytes(moved.data), moved.index
    (True, 2, 4, 0)
    """

    __slots__ = ("index", "receipt", "row")
    receipt: Receipt  # the receipt that it is part of
    index: int  # in the receipt
    row: LogRow  # the log as it is stored

    def __init__(self, receipt: Receipt, index: int, row: LogRow) -> None:
        put(self, "receipt", receipt)
        put(self, "index", index)
        put(self, "row", row)

    @property
    def address(self) -> Address:
        """The account that emitted it."""
        return Address(self.row[0])

    @property
    def topics(self) -> tuple[int, ...]:
        """The topics as numbers; the first one identifies the type of an event."""
        return self.row[1]

    @property
    def data(self) -> bytes:
        """The encoded values that are not topics."""
        return self.row[2]

    @property
    def text(self) -> str | None:
        """The text of a text log; None for any other log."""
        return text_of(self.row)

    @property
    def event(self) -> Any:
        """The declared event in the log; None if no known contract declares it."""
        return self.receipt.ledger.decode(self.row)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return self.text == other
        return isinstance(other, Log) and self.row is other.row

    def __hash__(self) -> int:
        text = self.text
        return hash(self.row[:3]) if text is None else hash(text)

    def __str__(self) -> str:
        text = self.text
        return repr(self) if text is None else text

    def __repr__(self) -> str:
        content = self.text or self.event
        return (
            f"Log({content!r})"
            if content is not None
            else f"Log({self.address}, {[hex(t) for t in self.topics]})"
        )
