"""Reports what happens on a served chain: a line of text for each transaction, and what Solidity wrote to its console."""

from __future__ import annotations

from collections.abc import Callable

from chain.ledger.decoded.activity import ActivityFormatter
from chain.ledger.ledger import Ledger


class ActivityFeed:
    """Reports each transaction once. One that is undone and runs again is reported again."""

    def __init__(self, ledger: Ledger, tell: Callable[[str], None]) -> None:
        self._ledger, self._tell = ledger, tell
        self._position = len(ledger.receipts)  # the position of the next receipt
        ledger.on_truncated.append(self._on_truncate)

    def update(self) -> None:
        """Report the transactions since the last update."""
        receipts = self._ledger.receipts[self._position :]
        self._position += len(receipts)
        formatter = ActivityFormatter(self._ledger)
        for receipt in receipts:
            first = next(formatter.format_receipt(receipt))
            for line in (first, *formatter.console(receipt)):
                self._tell(_printable(line))

    def _on_truncate(self, blocks: int, receipts: int) -> None:
        self._position = min(self._position, receipts)


def _printable(line: str) -> str:
    """Return a line without control characters: contracts and clients choose some of its words."""
    return "".join(character if character.isprintable() else " " for character in line)
