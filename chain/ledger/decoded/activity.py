"""The activity on a chain as text, to be read in a terminal or a diff.

Each transaction has a line with its time, sender, call and outcome. Below it are what Solidity wrote to its console, and its
logs: texts as they are, events with their fields. Accounts and contracts appear by name, so it is the same on every chain with
the same transactions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from chain.abi.formatting import ValueFormatter
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.decoded.console_log import console_texts
from chain.ledger.decoded.failures import failure_text
from chain.ledger.logs import text_of
from chain.ledger.receipts import Receipt
from chain.machine.state import LogRow
from chain.spec.contracts import UPGRADE

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger

_WIDEST = 60  # characters of a result; the receipt has the full value
_INDENT = "    "


def activity_of(ledger: Ledger, since: int = 0) -> str:
    """Return the activity of all receipts from position `since` on."""
    formatter = ActivityFormatter(ledger)
    return "".join(
        f"{line}\n"
        for receipt in ledger.receipts[since:]
        for line in formatter.format_receipt(receipt)
    )


class ActivityFormatter:
    """A formatter that describes receipts in lines of text."""

    def __init__(self, ledger: Ledger, shown: ValueFormatter | None = None) -> None:
        shown = shown or ValueFormatter(AddressBook(ledger))
        self._ledger, self._who, self.show = ledger, shown.names, shown.show
        self._start = ledger.blocks[0].timestamp

    def format_receipt(self, receipt: Receipt) -> Iterator[str]:
        """Yield the lines of one transaction."""
        time = receipt.timestamp - self._start
        yield (
            f"{receipt.block_number} +{time}s {self._who.display(receipt.sender)}: {self.format_call(receipt)}"
            f" {self.format_outcome(receipt)} [{receipt.gas_used} gas]"
        )
        yield from self.console(receipt)
        for row in receipt.log_rows:
            yield from self._log(receipt, row, _INDENT)
        for row in receipt.undone_log_rows:
            yield from self._log(receipt, row, f"{_INDENT}undone ")

    def console(self, receipt: Receipt) -> Iterator[str]:
        """Yield the lines that Solidity wrote to its console."""
        for text in console_texts(receipt.call_rows):
            yield from (f"{_INDENT}console.log: {line}".rstrip() for line in text.split("\n"))

    def format_call(self, receipt: Receipt) -> str:
        """Return the call of a transaction as text."""
        is_upgrade = receipt.entry_spec is UPGRADE
        self._turn_to(receipt.position - is_upgrade)
        show = self._who.display
        value = f" with {receipt.value} wei" if receipt.value else ""
        args = ", ".join(map(self.show, receipt.args.values()))
        if receipt.to is None:
            name = receipt.contract or f"{len(receipt.data)} bytes"
            return f"deploy {name}({args}){value}" if receipt.contract else f"deploy {name}{value}"
        if is_upgrade:
            return f"upgrade {show(receipt.to)} to {self._version(receipt.args['digest'])}{value}"
        if receipt.entry is not None:
            return f"{show(receipt.to)}.{receipt.entry}({args}){value}"
        data = f" data {self.show(receipt.data)}" if receipt.data else ""
        return f"send {receipt.value} wei to {show(receipt.to)}{data}"

    def _version(self, digest: bytes) -> str:
        """Return the name of the class with that digest, as one version of it."""
        program = self._ledger.program(digest)
        return f"{program.spec.name if program else 'Contract'}@{digest.hex()[:8]}"

    def _turn_to(self, position: int) -> None:
        """Use the names that contracts had after the receipt at that position."""
        if isinstance(self._who, AddressBook):
            self._who.receipt = position

    def format_outcome(self, receipt: Receipt) -> str:
        """Return the outcome of a transaction as text."""
        self._turn_to(receipt.position)
        if receipt.error is not None:
            location = f" at {receipt.error.place}" if receipt.error.place else ""
            return f"failed: {failure_text(self._ledger, receipt.error, self.show)}{location}"
        if receipt.to is None:
            name = self._who.display(receipt.address)
            return "ok" if name == receipt.contract else f"as {name}"
        if receipt.entry is None or receipt.return_value is None:
            return "ok"
        result = self.show(receipt.return_value)
        return f"-> {result}" if len(result) <= _WIDEST else f"-> {result[:_WIDEST]}…"

    def _log(self, receipt: Receipt, row: LogRow, indent: str) -> Iterator[str]:
        """Yield the lines of a log, with the name of its contract if the transaction called another one."""
        emitter = "" if row[0] == receipt.address else f"{self._who.display(row[0])}: "
        text = text_of(row)
        if text is not None:
            yield from (f"{indent}{emitter}| {line}".rstrip() for line in text.split("\n"))
            return
        event = self._ledger.decode(row)
        if event is not None:
            yield f"{indent}{emitter}{self.show(event)}"
        else:
            topics = ", ".join(f"{topic:#066x}" for topic in row[1])
            yield f"{indent}{emitter}log [{topics}] {self.show(row[2])}"
