"""The state in a chain's file, read stretch by stretch: the base of an overlay.

The overlay holds every place that has changed since the file was opened. So what is read here is as it was then, although the
rows change: what this process writes is in the overlay, and of what another one writes the file tells the former values.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from chain.ledger.file.chain_file import ChainFile
from chain.ledger.file.checksum import add_checksum, verify_checksum
from chain.ledger.file.state_rows import ACCOUNTS, SLOTS, WORDS, key_of, rows_of, stretch_at
from chain.machine.state import ACCOUNT, Account

_KEPT: Final = 256  # stretches in memory
_ADDRESS: Final = slice(1, 21)


class _Loaded(NamedTuple):
    first: bytes
    end: bytes
    rows: dict[bytes, bytes]  # in order


class StoredRows:
    """The rows of the state by their keys; those that were used last stay in memory."""

    def __init__(self, file: ChainFile) -> None:
        self._file = file
        self._loaded: list[_Loaded] = []  # in order

    def value(self, key: bytes) -> Any:
        """Return what is stored at a key, or None."""
        row = self.at(key).rows.get(key)
        with self._file.refusing_damage():
            return None if row is None else verify_checksum("cells", key, row)

    def at(self, key: bytes) -> _Loaded:
        """Return the stretch that covers a key."""
        place = bisect_right(self._loaded, key, key=_first) - 1
        if place >= 0 and key < self._loaded[place].end:
            return self._loaded[place]
        loaded = self._read(key)
        if len(self._loaded) >= _KEPT:
            self._loaded.clear()
        insort(self._loaded, loaded, key=_first)
        return loaded

    def _read(self, key: bytes) -> _Loaded:
        with self._file.reading() as connection:
            first, end, *_ = stretch = stretch_at(connection, key)
            rows = rows_of(connection, stretch)
            former = self._file.former
            if former:
                corrected: dict[bytes, Any] = dict(rows)
                for place, value in former.items():
                    changed = key_of(*place)
                    if first <= changed < end:
                        corrected[changed] = value and add_checksum("cells", changed, value)
                rows = {place: row for place, row in sorted(corrected.items()) if row}
        return _Loaded(first, end, rows)


class StoredState:
    """The state in a file, as it was when the file was opened. What has changed since must not be asked for."""

    def __init__(self, rows: StoredRows) -> None:
        self._rows = rows

    def account(self, address: bytes) -> Account | None:
        account: Account | None = self._rows.value(key_of(address, ACCOUNT))
        return account

    def word(self, address: bytes, slot: int) -> int:
        return self._rows.value(key_of(address, slot)) or 0

    def addresses(self) -> Iterator[bytes]:
        key = last = ACCOUNTS
        while key < SLOTS:
            loaded = self._rows.at(key)
            for found in loaded.rows:
                if last < found[:21] and found < SLOTS:
                    last = found[:21]
                    yield found[_ADDRESS]
            key = loaded.end if last == ACCOUNTS else max(loaded.end, last + WORDS)

    def slots_of(self, address: bytes) -> Iterator[int]:
        first = key = key_of(address, ACCOUNT)
        while key < first + WORDS:
            loaded = self._rows.at(key)
            for found in loaded.rows:
                if first < found < first + WORDS:
                    yield int.from_bytes(found[21:])
            key = loaded.end


def _first(loaded: _Loaded) -> bytes:
    return loaded.first
