"""Comparison of two runs of one play: the first transaction with a different outcome, and the field that differs.

An outcome holds the effects of a transaction as plain values, so that it can be sent by another process.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chain.abi.texts import has_reason, revert_text
from chain.foundation.dataclass import dataclass
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.decoded.formatting import ValueFormatter
from chain.ledger.receipts import Receipt
from chain.machine.failure import Failure
from chain.simulator.chain import Chain

Outcome = Mapping[str, Any]
_Fields = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Divergence:
    """The point where two runs differ: a transaction and one of its fields."""

    block: int
    contract: str | None
    entry: str | None
    field: str
    values: tuple[str, str]

    def told(self, one: str, other: str) -> str:
        """Return a description, with the names of the two runs."""
        called = ".".join(filter(None, (self.contract, self.entry))) or "a transaction"
        return f"{called} in block {self.block}: {self.field} is {self.values[0]} {one}, and {self.values[1]} {other}"


def outcomes_of(chain: Chain) -> list[Outcome]:
    """Return the outcomes of all transactions of a chain."""
    formatter = ValueFormatter(AddressBook(chain.ledger))
    return [_deed(receipt, formatter) for receipt in chain.receipts]


def _deed(receipt: Receipt, shown: ValueFormatter) -> Outcome:
    """Return the outcome of one transaction."""
    error = receipt.error
    writes = (*receipt.writes, *receipt.undone_writes)
    events = (*receipt.events, *receipt.undone_events)
    return {
        "block": receipt.block_number,
        "contract": receipt.contract,
        "entry": receipt.entry,
        "fields": [
            *([write.format_path(shown.show), shown.show(write.new)] for write in writes),
            *(item for event in events for item in _announced(event, shown)),
            *(["its text", log.text] for log in receipt.logs if log.text is not None),
            ["its logs", " ".join(f"{row[0].hex()}{row[1]}{row[2].hex()}" for row in receipt.log_rows)],
            ["its result", reason(error) if error else shown.show(receipt.return_value)],
            ["its output", receipt.output.hex()],
            ["its gas", str(receipt.gas_used)],
            ["its ticks", str(receipt.ticks)],
            ["its sender's number", str(receipt.nonce)],
        ],
    }  # fmt: skip


def reason(error: Failure) -> str:
    """Return why a message failed, as the chain has it. Of an error of Python that is the class, as versions word it anew."""
    return revert_text(error.data) if has_reason(error.data) else error.text


def _announced(event: object, shown: ValueFormatter) -> Iterator[list[str]]:
    """Yield the names and values of the fields of an event."""
    if not dataclasses.is_dataclass(event):
        yield ["its events", shown.show(event)]
        return
    for member in dataclasses.fields(event):
        yield [f"{type(event).__name__}.{member.name}", shown.show(getattr(event, member.name))]


def first_divergence(one: Sequence[Outcome], other: Sequence[Outcome]) -> Divergence | None:
    """Return the first difference between two runs, or None."""
    for a, b in zip(one, other, strict=False):
        if a != b:
            field, values = _field(a["fields"], b["fields"])
            return Divergence(a["block"], a["contract"], a["entry"], field, values)
    if len(one) != len(other):
        extra = max(one, other, key=len)[min(len(one), len(other))]
        counts = (str(len(one)), str(len(other)))
        return Divergence(extra["block"], extra["contract"], extra["entry"], "the number of transactions", counts)  # fmt: skip
    return None


def _field(one: _Fields, other: _Fields) -> tuple[str, tuple[str, str]]:
    """Return the first value that differs. A value that one side lacks is "nothing" there."""
    a, b = _numbered(one), _numbered(other)
    for key in (*a, *b):
        values = a.get(key, "nothing"), b.get(key, "nothing")
        if values[0] != values[1]:
            return key[0], values
    return "its place", ("here", "elsewhere")


def _numbered(fields: _Fields) -> dict[tuple[str, int], str]:
    """Return the values by name and by occurrence of that name."""
    count: Counter[str] = Counter()
    values = {}
    for name, value in fields:
        count[name] += 1
        values[name, count[name]] = value
    return values
