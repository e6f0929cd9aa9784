"""Receipts: the record of every transaction, failed ones included, complete as soon as the call returns.

The ledger stores a transaction as a row, one flat tuple of numbers and bytes. A `Receipt` gives names to that row, and
decodes the bytes on demand: entry, arguments, return value, events, writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from chain.foundation.atomic_steps import locked
from chain.foundation.sealed import Sealed, put, setter
from chain.foundation.thread_lock import ThreadLock
from chain.ledger import decoded
from chain.ledger.calls import CallRecord, CallRow, DecodedMessage, call_rows, call_tree, walk
from chain.ledger.logs import EventList, text_of
from chain.machine.failure import Failure
from chain.machine.forced_random import DrawRecord
from chain.machine.state import Changes, LogRow
from chain.machine.transaction import Transaction, TransactionResult
from chain.metering.program import Program
from chain.types import Address

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger


class ReceiptRow(NamedTuple):
    """A receipt as it is stored."""

    position: int
    block: int
    index_in_block: int
    type: int
    sender: bytes
    to: bytes | None
    data: bytes
    value: int
    gas: int
    nonce: int
    max_fee: int
    tip: int
    access_list: tuple[tuple[bytes, tuple[int, ...]], ...]
    raw: bytes | None
    address: bytes
    digest: bytes | None  # of the contract that was called or created
    output: bytes
    failure: Failure | None
    gas_used: int
    gas_price: int
    changes: Changes
    logs: Sequence[LogRow]
    undone_changes: Changes
    undone_logs: Sequence[LogRow]
    calls: tuple[CallRow, ...]
    forced_random: DrawRecord
    ticks: int


# `_make`, without a call of Python: each transaction makes one.
_receipt_row: Final = partial(tuple.__new__, ReceiptRow)


def receipt_row(
    tx: Transaction, outcome: TransactionResult, block: int, index: int, position: int
) -> ReceiptRow:
    """Return the row that the ledger stores for a transaction."""
    sender, to, data, value, gas, nonce, max_fee, tip, kind, access_list, _, raw, _ = tx
    frame, context, used, price, changes, logs = outcome
    program, forced = frame.program, context.forced_random
    return _receipt_row((
        position, block, index, kind, sender, to, data, value, gas, nonce, max_fee, tip, access_list, raw,
        frame.address, program.digest if program is not None else None, frame.output, frame.failure,
        used, price, changes, logs, context.undone_changes, context.undone_logs,
        call_rows(frame) if frame.children else (), () if forced is None else forced.drain_record(), context.ticks,
    ))  # fmt: skip


def _of_row(name: str) -> Any:
    """Return a read-only property for the row's item of that name."""
    return property(attrgetter(f"row.{name}"))


class Receipt(DecodedMessage):
    """The record of one transaction: the request, the outcome and its effects.

    >>> receipt.ok, receipt.sender == alice, receipt.contract, receipt.entry, receipt.args, receipt.return_value
    (True, True, 'Race', 'roll', {}, 4)
    >>> receipt.events, receipt.logs[1], receipt.writes[0]
    ([Moved(player=Address('0xf39F...'), square=4)], Log('4 eyes'), Race.rolls[0]: 0 -> 4)
    >>> receipt.block_number, receipt.timestamp, receipt.gas_used > 21_000, len(receipt.tx_hash)
    (3, 1704067203, True, 32)
    >>> race.roll(value=1, check=False).error.text
    'Race.roll takes no value: it is not payable'
    """

    __slots__ = ("ledger", "row")

    ledger: Ledger  # the ledger that it is part of
    row: ReceiptRow  # the row as it is stored
    position: int = _of_row("position")  # its number on the chain
    block_number: int = _of_row("block")  # the number of its block
    index: int = _of_row("index_in_block")  # its number in the block
    type: int = _of_row("type")  # 0, 1, 2 or 4, as on Ethereum
    _sender: bytes = _of_row("sender")
    _to: bytes | None = _of_row("to")
    data: bytes = _of_row("data")  # the calldata, or the init code
    value: int = _of_row("value")  # the wei sent with it
    gas: int = _of_row("gas")  # the gas limit
    nonce: int = _of_row("nonce")  # the count of the sender's transactions before
    max_fee: int = _of_row("max_fee")  # the maximum price of a unit of gas, in wei
    tip: int = _of_row("tip")  # the maximum part of it that goes to the coinbase
    # The accounts and slots that were paid for in advance (EIP-2930).
    access_list: tuple[tuple[bytes, tuple[int, ...]], ...] = _of_row("access_list")
    raw: bytes | None = _of_row("raw")  # its signed bytes, if it was sent signed
    _address: bytes = _of_row("address")
    _digest: bytes | None = _of_row("digest")
    output: bytes = _of_row("output")  # the encoded return value; the revert data of a failure
    _failure: Failure | None = _of_row("failure")  # as the machine made it
    gas_used: int = _of_row("gas_used")  # the gas it cost, without the refund
    gas_price: int = _of_row("gas_price")  # the price of a unit of gas, in wei
    changes: Changes = _of_row("changes")  # the journal of words and accounts
    log_rows: Sequence[LogRow] = _of_row("logs")  # the logs as they are stored
    undone_changes: Changes = _of_row("undone_changes")  # the journal of the undone changes
    undone_log_rows: Sequence[LogRow] = _of_row("undone_logs")  # the logs that were undone
    call_rows: tuple[CallRow, ...] = _of_row("calls")  # the messages as they are stored
    forced_random: DrawRecord = _of_row("forced_random")  # the forced random outcomes
    ticks: int = _of_row("ticks")  # the cost of the contracts' own computation

    def __init__(self, ledger: Ledger, row: ReceiptRow) -> None:
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

    def _named(self, failure: Failure) -> Failure:
        return decoded.named_failure(self.ledger, failure)

    # Effects

    @property
    def calls(self) -> tuple[CallRecord, ...]:
        """The messages that the contract sent, each with those that it sent in turn."""
        ledger = self.ledger
        return call_tree(self.call_rows, ledger.program, ledger.foreign.get, self._named)

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
        >>> told["entry"], told["result"], told["logs"][0]["event"], told["writes"][0]["text"]
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
