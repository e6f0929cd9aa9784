"""What two runs of one play did, compared: the first transaction that did something else, and the field in which it shows.

A deed is what a transaction did, as plain values, so that it can come from another process.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.decoded.formatting import ValueFormatter
from chain.ledger.decoded.writes import Write
from chain.ledger.receipts import Receipt
from chain.simulator.chain import Chain

Outcome = Mapping[str, Any]
_Fields = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Divergence:
    """Where two runs part: a transaction, and what of it."""

    block: int
    contract: str | None
    entry: str | None
    field: str
    values: tuple[str, str]

    def told(self, one: str, other: str) -> str:
        """In words, with what the two runs are called."""
        called = ".".join(filter(None, (self.contract, self.entry))) or "a transaction"
        return f"{called} in block {self.block}: {self.field} is {self.values[0]} {one}, and {self.values[1]} {other}"


def outcomes_of(chain: Chain) -> list[Outcome]:
    """What all transactions of a chain did."""
    shown = ValueFormatter(AddressBook(chain.ledger))
    return [_deed(receipt, shown) for receipt in chain.receipts]


def _deed(receipt: Receipt, shown: ValueFormatter) -> Outcome:
    error = receipt.error
    events = (*receipt.events, *receipt.undone_events)
    return {
        "block": receipt.block_number,
        "contract": receipt.contract,
        "entry": receipt.entry,
        "fields": [
            *(entry for write in (*receipt.writes, *receipt.undone_writes) for entry in _written(write, shown)),
            *(entry for event in events for entry in _announced(event, shown)),
            *(["its text", log.text] for log in receipt.logs if log.text is not None),
            ["its logs", " ".join(f"{row[0].hex()}{row[1]}{row[2].hex()}" for row in receipt.log_rows)],
            ["its result", str(error.text) if error else shown.show(receipt.return_value)],
            ["its output", receipt.output.hex()],
            ["its gas", str(receipt.gas_used)],
            ["its ticks", str(receipt.ticks)],
            ["its sender's number", str(receipt.nonce)],
        ],
    }  # fmt: skip


def _written(write: Write, shown: ValueFormatter) -> Iterator[list[str]]:
    member = f".{write.member}" if write.member[:1] not in ("", "[") else write.member
    keys = "".join(f"[{shown.show(key)}]" for key in write.keys)
    name = write.name if write.is_model else f"{write.contract}.{write.name}"
    yield [f"{name}{keys}{member}", shown.show(write.new)]


def _announced(event: Any, shown: ValueFormatter) -> Iterator[list[str]]:
    if not dataclasses.is_dataclass(event):
        yield ["its events", shown.show(event)]
        return
    for item in dataclasses.fields(event):
        yield [f"{type(event).__name__}.{item.name}", shown.show(getattr(event, item.name))]


def first_divergence(one: Sequence[Outcome], other: Sequence[Outcome]) -> Divergence | None:
    """The first difference between two runs, if there is one."""
    for a, b in zip(one, other, strict=False):
        if a != b:
            field, values = _field(a["fields"], b["fields"])
            return Divergence(a["block"], a["contract"], a["entry"], field, values)
    if len(one) != len(other):
        more = max(one, other, key=len)[min(len(one), len(other))]
        counts = (str(len(one)), str(len(other)))
        return Divergence(more["block"], more["contract"], more["entry"], "the number of transactions", counts)  # fmt: skip
    return None


def _field(one: _Fields, other: _Fields) -> tuple[str, tuple[str, str]]:
    """The first value that differs; what only one side has is nothing on the other."""
    a, b = _numbered(one), _numbered(other)
    for key in (*a, *b):
        values = a.get(key, "nothing"), b.get(key, "nothing")
        if values[0] != values[1]:
            return key[0], values
    return "its place", ("here", "elsewhere")


def _numbered(fields: _Fields) -> dict[tuple[str, int], str]:
    """By name, and which of that name it is."""
    count: Counter[str] = Counter()
    found = {}
    for name, value in fields:
        count[name] += 1
        found[name, count[name]] = value
    return found
