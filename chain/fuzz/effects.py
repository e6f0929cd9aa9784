"""The effects of a call in the contracts' words: its outcome, what it announced, what it stored."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from typing import Final

from chain.ledger.event_types import Source
from chain.ledger.ledger import Ledger
from chain.ledger.logs import text_of
from chain.ledger.receipts import Receipt
from chain.machine.failure import Failure
from chain.machine.state import LogRow

_DIFFERING: Final = re.compile(r"0x[0-9a-fA-F]+|-?\d+|'[^']*'|\"[^\"]*\"")
_INDEX: Final = re.compile("[0-9]+")


class EventNames:
    """The names of the events in logs. Each is looked up once, because the same code emits the same events."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._names: dict[Source, str | None] = {}

    def announced(self, receipt: Receipt) -> list[str]:
        """Return the names of events, and text logs. Logs of several lines are pictures and are left out."""
        return sorted({masked(text) for text in map(self._text, receipt.log_rows) if text})

    def _text(self, row: LogRow) -> str | None:
        text = text_of(row)
        if text is not None:
            return None if "\n" in text else text
        topics = row[1]
        source = row[4], topics[0] if topics else 0, len(topics)
        if source not in self._names:
            meaning = self._ledger.event_types.meaning(row)
            self._names[source] = None if meaning is None else meaning.spec.name
        return self._names[source]


def outcome_of(failure: Failure | None) -> str:
    """Return `ok`, or the reason of a refusal: its masked text and its location. Refusals with the same reason count as one."""
    if failure is None:
        return "ok"
    return f"{failure.place or failure.kind}: {masked(failure.text)}"


def stored_by(receipt: Receipt) -> Iterator[tuple[str, object]]:
    """Yield names in storage with their new values. All items of a collection have one name."""
    for write in receipt.writes:
        member = _INDEX.sub("#", write.member) if write.member else ""
        yield f"{write.contract}.{write.name}.{member}", _plain(write.new)


@lru_cache(maxsize=4096)
def masked(text: str) -> str:
    """Return a text without the parts that differ from call to call: numbers and quoted text."""
    return _DIFFERING.sub("#", text)


def _plain(value: object) -> object:
    """Return a value as far as it distinguishes situations: of a long value, its length."""
    match value:
        case Enum():
            return f"{type(value).__name__}.{value.name}"
        case bool() | int() | None:
            return value
        case str() | bytes() | list() | tuple():
            return type(value).__name__, len(value)
        case _:
            return type(value).__name__
