"""Logs: emitted texts and events in their encoded form, as any Ethereum tool sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chain.abi.texts import TEXT_TOPIC
from chain.foundation.sealed import Sealed, put
from chain.machine.state import LogRow
from chain.types import Address

if TYPE_CHECKING:
    from chain.ledger.receipts import Receipt


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


def text_of(row: LogRow) -> str | None:
    _, topics, data, *_ = row
    if topics != (TEXT_TOPIC,):
        return None
    return data[64 : 64 + int.from_bytes(data[32:64])].decode("utf-8", "replace")
