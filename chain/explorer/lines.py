"""Transactions as lines of a list: the sender, the call and the outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from copy import copy
from typing import Final

from chain.explorer.names import Names
from chain.explorer.words import ShortWords
from chain.foundation.dataclass import dataclass
from chain.ledger.ledger import Ledger
from chain.ledger.logs import text_of
from chain.ledger.receipts import Receipt
from chain.pictures.markup import Markup, shorten
from chain.spec.contracts import UPGRADE

_WIDEST: Final = 160  # characters of arguments, and of a result


@dataclass(frozen=True, slots=True)
class Line:
    """One transaction of a list."""

    receipt: Receipt
    time: str
    sender: Markup
    who: str
    target: Markup  # the contract
    entry: str
    args: str
    outcome: str  # the reason, the result, or what was emitted


class Lines:
    """Makes lines of receipts, with the names at one point in time."""

    def __init__(self, ledger: Ledger, names: Names) -> None:
        self._ledger, self._names = ledger, names
        self._start = ledger.blocks[0].timestamp
        self._words = ShortWords(names)
        self._hidden: str | None = None  # an argument that is left out

    def without(self, argument: str | None) -> Lines:
        """Return lines with bare arguments and no results, for the steps of one board.

        The argument that names the board is left out.
        """
        lines = copy(self)
        lines._hidden = argument or ""
        return lines

    def of(self, receipts: Iterable[Receipt]) -> list[Line]:
        return [self.line(receipt) for receipt in receipts]

    def line(self, receipt: Receipt) -> Line:
        told = (value for name, value in receipt.args.items() if name != self._hidden)
        args = shorten(self._words.args(told), _WIDEST)
        return Line(
            receipt,
            clock(receipt.timestamp - self._start),
            self._names.link(bytes(receipt.sender)),
            self._names.display(bytes(receipt.sender)),
            self._names.link(bytes(receipt.address)),
            self._entry(receipt),
            self._arguments(receipt, args),
            shorten(self._outcome(receipt), _WIDEST),
        )

    def _arguments(self, receipt: Receipt, args: str) -> str:
        if self._hidden is not None:
            return args
        return f"({args})" if receipt.entry is not None or args else self._plain(receipt)

    def _entry(self, receipt: Receipt) -> str:
        if receipt.to is None:
            return "deploy"
        return "upgrade" if receipt.entry_spec is UPGRADE else receipt.entry or "send"

    def _plain(self, receipt: Receipt) -> str:
        """The content of a transaction that calls no known entry."""
        parts = [f"{receipt.value} wei"] if receipt.value else []
        if receipt.data and receipt.contract is None:
            parts.append(f"{len(receipt.data)} bytes")
        return f"({', '.join(parts)})" if parts else ""

    def _outcome(self, receipt: Receipt) -> str:
        if receipt.error is not None:
            return receipt.error.text
        if self._hidden is not None:
            return ""
        result = receipt.return_value
        shown = [] if result is None or result == b"" else [f"→ {self._words.word(result)}"]
        return " · ".join([*shown, *self._emitted(receipt)])

    def _emitted(self, receipt: Receipt) -> list[str]:
        """The names of the events, each once with its number."""
        counts: Counter[str] = Counter()
        for row in receipt.log_rows:
            meaning = self._ledger.event_types.meaning(row)
            counts[meaning.spec.name if meaning else "log" if text_of(row) is None else "text"] += 1
        return [name if count == 1 else f"{name} ×{count}" for name, count in counts.items()]


def clock(seconds: int) -> str:
    """Return a time since the start of the chain as hours, minutes and seconds."""
    days, rest = divmod(seconds, 86_400)
    shown = f"{rest // 3600}:{rest // 60 % 60:02}:{rest % 60:02}"
    return f"{days}d {shown}" if days else shown
