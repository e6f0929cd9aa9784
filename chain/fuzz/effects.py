"""The effects of a call in the contracts' words: its outcome, what it announced, what it stored."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from functools import lru_cache
from typing import Final, TypeAlias

from chain.ledger.decoded.writes import StorageLocation, net_changes, packed_values
from chain.ledger.event_types import Source
from chain.ledger.ledger import Ledger
from chain.ledger.logs import text_of
from chain.ledger.receipts import Receipt
from chain.machine.failure import Failure
from chain.machine.state import LogRow

_DIFFERING: Final = re.compile(r"0x[0-9a-fA-F]+|-?\d+|'[^']*'|\"[^\"]*\"")
_INDEX: Final = re.compile("[0-9]+")
_WORDS: Final = 4096  # whose values are remembered
# The name of a value, and how it is read from its word.
_NamedValue: TypeAlias = tuple[str, Callable[[int], object]]


class EffectReader:
    """Reads the effects of calls on one chain. Names are looked up once, because the same code does the same again."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._reasons: dict[tuple[object, ...], str] = {}
        self._events: dict[Source, str | None] = {}
        self._values_at = lru_cache(_WORDS)(self._find_values_at)

    def outcome(self, failure: Failure | None) -> str:
        """Return `ok`, or the reason of a refusal: its masked text and its location. The same reason counts as one."""
        if failure is None:
            return "ok"
        key = failure.file, failure.line, failure.kind, masked(failure.text)
        if key not in self._reasons:
            self._reasons[key] = f"{failure.place or failure.kind}: {key[-1]}"
        return self._reasons[key]

    def announced(self, receipt: Receipt) -> list[str]:
        """Return the names of events, and text logs. Logs of several lines are pictures and are left out."""
        return sorted({masked(text) for text in map(self._text, receipt.log_rows) if text})

    def _text(self, row: LogRow) -> str | None:
        text = text_of(row)
        if text is not None:
            return None if "\n" in text else text
        topics = row[1]
        source = row[4], topics[0] if topics else 0, len(topics)
        if source not in self._events:
            meaning = self._ledger.event_types.meaning(row)
            self._events[source] = None if meaning is None else meaning.spec.name
        return self._events[source]

    def stored(self, receipt: Receipt) -> list[tuple[str, object]]:
        """Return names in storage with their new values. All items of a collection have one name."""
        stored = []
        for address, words in net_changes(receipt.changes).items():
            for slot, (old, new) in words.items():
                values = self._values_at(address, slot)
                if values is None:  # part of a text or an option: more than this word matters
                    return [(_name(write), _plain(write.new)) for write in receipt.writes]
                for name, read in values:
                    value = read(new)
                    if value != read(old):
                        stored.append((name, _plain(value)))
        return stored

    def _find_values_at(self, address: bytes, slot: int) -> list[_NamedValue] | None:
        values = packed_values(self._ledger, address, slot)
        return None if values is None else [(_name(each.location), each.read) for each in values]


@lru_cache(maxsize=4096)
def masked(text: str) -> str:
    """Return a text without the parts that differ from call to call: numbers and quoted text."""
    return _DIFFERING.sub("#", text)


def _name(location: StorageLocation) -> str:
    return f"{location.contract}.{location.name}.{_INDEX.sub('#', location.member)}"


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
