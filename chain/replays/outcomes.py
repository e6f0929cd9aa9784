"""Comparison of two runs of one play: the first transaction with a different outcome, and the field that differs.

An outcome holds the effects of a transaction as JSON, so that it can be sent by another process.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, Final, TypeAlias

from chain.abi.formatting import ValueFormatter
from chain.abi.json_abi import JsonObject
from chain.abi.texts import has_reason, revert_text
from chain.foundation.dataclass import dataclass
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.receipts import Receipt
from chain.ledger.sql.json_values import portable, to_json
from chain.machine.failure import Failure
from chain.simulator.chain import Chain

# The path of a value in JSON, and its two texts; None where it is missing.
FieldDifference: TypeAlias = tuple[str, str | None, str | None]
_ELSEWHERE: Final = ("its place", "here", "elsewhere")


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


def outcomes_of(chain: Chain) -> list[JsonObject]:
    """Return the outcomes of all transactions of a chain."""
    formatter = ValueFormatter(AddressBook(chain.ledger))
    return [_outcome(receipt, formatter) for receipt in chain.receipts]


def _outcome(receipt: Receipt, shown: ValueFormatter) -> JsonObject:
    """Return the outcome of one transaction."""
    error, fields = receipt.error, defaultdict[str, list[object]](list)
    for write in (*receipt.writes, *receipt.undone_writes):
        fields[write.format_path(shown.show)].append(portable(write.new))
    for event in (*receipt.events, *receipt.undone_events):
        fields[getattr(event, "name", type(event).__name__)].append(portable(event))
    fields["its text"] = [log.text for log in receipt.logs if log.text is not None]
    return {
        "block": receipt.block_number,
        "contract": receipt.contract,
        "entry": receipt.entry,
        "fields": {
            **{name: values[0] if len(values) == 1 else values for name, values in fields.items()},
            "its logs": portable(receipt.log_rows),
            "its result": reason(error) if error else portable(receipt.return_value),
            "its output": receipt.output.hex(),
            "its gas": receipt.gas_used,
            "its ticks": receipt.ticks,
            "its sender's number": receipt.nonce,
        },
    }


def reason(error: Failure) -> str:
    """Return why a message failed, as the chain has it. Of an error of Python, its class: versions word it differently."""
    return revert_text(error.data) if has_reason(error.data) else error.text


def first_divergence(one: Sequence[JsonObject], other: Sequence[JsonObject]) -> Divergence | None:
    """Return the first difference between two runs, or None."""
    for a, b in zip(one, other, strict=False):
        if a != b:
            return _divergence(a, *next(differences(a["fields"], b["fields"]), _ELSEWHERE))
    if len(one) != len(other):
        extra = max(one, other, key=len)[min(len(one), len(other))]
        return _divergence(extra, "the number of transactions", f"{len(one)}", f"{len(other)}")
    return None


def _divergence(where: JsonObject, field: str, one: str | None, other: str | None) -> Divergence:
    values = one or "nothing", other or "nothing"
    return Divergence(where["block"], where["contract"], where["entry"], field, values)


def differences(one: Any, other: Any, path: str = "") -> Iterator[FieldDifference]:
    """Yield where two values in JSON differ. Texts of several lines are compared by line."""
    match one, other:
        case dict(), dict():
            for name in {**one, **other}:
                inner = f"{path}.{name}" if path else name
                yield from differences(one.get(name, ...), other.get(name, ...), inner)
        case list(), list():
            for i, pair in enumerate(zip_longest(one, other, fillvalue=...)):
                yield from differences(*pair, f"{path}[{i}]")
        case str(), str() if "\n" in one or "\n" in other:
            yield from differences(one.split("\n"), other.split("\n"), path)
        case _ if one != other:
            first, second = (None if each is ... else to_json(each) for each in (one, other))
            yield path, first, second
