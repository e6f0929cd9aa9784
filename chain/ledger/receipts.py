"""Receipts: the record of every transaction, failed ones included, complete the moment the call returns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

from chain.frame import Failure, Log
from chain.machine.transaction import Outcome, Transaction
from chain.types import Address

if TYPE_CHECKING:
    from chain.ledger.blocks import Block
    from chain.ledger.ledger import Ledger


class Events(Sequence[Any]):
    """The decoded events of a receipt, in order; `events["Moved"]` and `events.one(Moved)` pick by kind."""

    __slots__ = ("_events",)

    def __init__(self, events: list[Any]) -> None:
        self._events = events

    def __len__(self) -> int:
        return len(self._events)

    @overload
    def __getitem__(self, key: int) -> Any: ...
    @overload
    def __getitem__(self, key: slice | str | type) -> list[Any]: ...
    def __getitem__(self, key: int | slice | str | type) -> Any:
        if isinstance(key, int | slice):
            return self._events[key]
        return [event for event in self._events if _is_a(event, key)]

    def one(self, kind: str | type) -> Any:
        """The only event of that kind."""
        found = self[kind]
        if len(found) != 1:
            name = kind if isinstance(kind, str) else kind.__name__
            raise LookupError(f"{len(found)} events are {name}, not one; there are {self._events}")
        return found[0]

    def __repr__(self) -> str:
        return repr(self._events)


def _is_a(event: Any, kind: str | type) -> bool:
    if isinstance(kind, str):
        return bool(getattr(event, "name", None) == kind or type(event).__name__ == kind)
    return isinstance(event, kind)


class Receipt:
    """What a transaction asked, did and left behind."""

    __slots__ = ("block", "index", "ledger", "outcome", "position", "tx")

    def __init__(self, ledger: Ledger, tx: Transaction, outcome: Outcome, block: Block, index: int, position: int) -> None:
        self.ledger = ledger
        self.tx = tx
        self.outcome = outcome
        self.block = block
        self.index = index  # in the block
        self.position = position  # on the chain

    # How it went

    @property
    def ok(self) -> bool:
        return self.outcome.failure is None

    @property
    def status(self) -> int:
        return int(self.outcome.failure is None)

    @property
    def error(self) -> Failure | None:
        """Why it failed, with its revert data and the place in the contract's source."""
        return self.outcome.failure

    @property
    def return_value(self) -> Any:
        """What the entry returned; the raw bytes where the contract is not a Python one."""
        outcome = self.outcome
        if outcome.result is None and outcome.entry is not None and outcome.output and self.ok and self.tx.to is not None:
            return outcome.entry.decode_result(outcome.output)
        return outcome.result if outcome.entry is not None else outcome.output

    @property
    def gas_used(self) -> int:
        return self.outcome.gas_used

    # What it asked

    @property
    def sender(self) -> Address:
        return self.tx.sender

    @property
    def to(self) -> Address | None:
        return self.tx.to

    @property
    def contract(self) -> str | None:
        """The name of the Python contract it reached or made."""
        program = self.outcome.program
        return program.spec.name if program else None

    @property
    def entry(self) -> str | None:
        entry = self.outcome.entry
        return entry.name if entry is not None else None

    @property
    def args(self) -> dict[str, Any]:
        """The arguments by name, read from the calldata."""
        entry = self.outcome.entry
        if entry is None:
            return {}
        data = self.tx.data if self.tx.to is not None else self.tx.data[-_args_size(self) :] if _args_size(self) else b""
        return dict(zip((m.name for m in entry.params), entry.decode_args(data), strict=True))

    @property
    def value(self) -> int:
        return self.tx.value

    @property
    def contract_address(self) -> Address | None:
        """Where the contract went that it made."""
        return self.outcome.address if self.tx.to is None and self.ok else None

    # What it left

    @property
    def logs(self) -> list[Log]:
        return self.outcome.logs

    @property
    def events(self) -> Events:
        """The declared events among the logs, decoded."""
        return Events(self.ledger.decode_logs(self.outcome.logs))

    @property
    def undone_events(self) -> Events:
        """The events that were announced and taken back."""
        return Events(self.ledger.decode_logs(self.outcome.undone_logs))

    # When

    @property
    def block_number(self) -> int:
        return self.block.number

    @property
    def timestamp(self) -> int:
        return self.block.timestamp

    @property
    def tx_hash(self) -> bytes:
        return self.ledger.hash_of(self)

    def __repr__(self) -> str:
        what = ".".join(filter(None, (self.contract, self.entry))) or (str(self.to) if self.to else "creation")
        how = "ok" if self.ok else f"failed: {self.error}"
        return f"<Receipt {what} in block {self.block.number}: {how}>"


def _args_size(receipt: Receipt) -> int:
    return len(receipt.tx.data) - len(receipt.outcome.program.initcode) if receipt.outcome.program else 0
