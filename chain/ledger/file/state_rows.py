"""The state in a chain's file: accounts and storage words, each a row with a checksum, in the order of their keys.

The key of an account is its address, that of a word its address and slot. The hashed slots follow, each with its place among
the preimages. A row of "chain:stretches" covers the keys from its own up to the next stretch: it says how many rows they have,
and a sum over keys and checksums. So whoever needs one word reads one stretch, and none of its rows can be missing, misplaced
or out of date. The rows are updated for many changes together, with their net effect.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple
from zlib import crc32

from chain.ledger.file.checksum import Damaged, add_checksum, verify_checksum
from chain.ledger.state_trie import gather
from chain.ledger.timeline import Former, note_first_values
from chain.machine.state import ACCOUNT, Changes, State

ACCOUNTS: Final = b"a"  # before the keys of accounts and words
SLOTS: Final = b"s"  # before the keys of hashed slots
WORDS: Final = b"\xff" * 33  # after an account's key: behind the keys of its words
END: Final = b"t"  # after every key
_SIZE: Final = 64  # rows of a new stretch
_LONGEST: Final = 2 * _SIZE
_WRAP: Final = (1 << 64) - 1


class Cells(NamedTuple):
    """The numbers of rows of the state, and of their stretches."""

    rows: int = 0
    stretches: int = 0


class Stretch(NamedTuple):
    """Consecutive keys: the first, that of the next stretch, their number, and a sum over them in 64 bits."""

    first: bytes
    end: bytes
    number: int
    total: int


def key_of(address: bytes, slot: Any) -> bytes:
    """Return the key of an account or a word."""
    account = ACCOUNTS + address
    return account if slot is ACCOUNT else account + slot.to_bytes(32)


def slot_key(slot: int) -> bytes:
    """Return the key of a hashed slot."""
    return SLOTS + slot.to_bytes(32)


def stretch_at(connection: sqlite3.Connection, key: bytes) -> Stretch:
    """Return the stretch that covers a key."""
    query = 'select place, row from "chain:stretches" where place <= ? order by place desc limit 1'
    for first, row in connection.execute(query, (key,)):
        stretch = Stretch(first, *verify_checksum("stretches", first, row))
        if key < stretch.end:
            return stretch
    raise Damaged(f'"chain:stretches" lacks the row of 0x{key.hex()}')


def rows_of(connection: sqlite3.Connection, stretch: Stretch) -> dict[bytes, bytes]:
    """Return the rows of a stretch by their keys, in order. Each is checked when it is decoded."""
    query = 'select place, row from "chain:cells" where place >= ? and place < ? order by place'
    rows = dict(connection.execute(query, (stretch.first, stretch.end)).fetchall())
    if (len(rows), _total(rows.items())) != (stretch.number, stretch.total):
        raise Damaged(f'"chain:cells" is not as it was written from 0x{stretch.first.hex()} on')
    return rows


def check_state(connection: sqlite3.Connection, expected: Cells) -> None:
    """Check that every row of the state is there."""
    rows = stretches = 0
    key = b""
    while stretches < expected.stretches and key < END:
        stretch = stretch_at(connection, key)
        rows, stretches = rows + len(rows_of(connection, stretch)), stretches + 1
        key = stretch.end
    if (rows, stretches, key) != (*expected, END if stretches else b""):
        raise Damaged('"chain:cells" is not as it was written')


def write_state(connection: sqlite3.Connection, state: State) -> Cells:
    """Write a whole state into empty tables."""
    _put_stretch(connection, Stretch(b"", END, 0, 0))
    values: dict[bytes, object] = {
        key_of(address, ACCOUNT): account for address, account in state.accounts.items()
    }
    for address, words in state.storages.items():
        values |= {key_of(address, slot): word for slot, word in words.items()}
    return put_values(connection, Cells(0, 1), values)


def redo_in_rows(connection: sqlite3.Connection, had: Cells, moments: Iterable[Changes]) -> Cells:
    """Write the net effect of these changes."""
    accounts, storages, wiped = gather(moments)
    values: dict[bytes, object] = {}
    for address in wiped:
        query = 'select place from "chain:cells" where place > ? and place < ?'
        first = key_of(address, ACCOUNT)
        found = connection.execute(query, (first, first + WORDS)).fetchall()
        values |= {key: None for (key,) in found}
    values |= {key_of(address, ACCOUNT): account for address, account in accounts.items()}
    for address, words in storages.items():
        values |= {key_of(address, slot): word for slot, word in words.items()}
    return put_values(connection, had, values)


def undo_in_rows(connection: sqlite3.Connection, had: Cells, moments: Iterable[Changes]) -> Cells:
    """Write what was there before these changes."""
    former: Former = {}
    note_first_values(former, moments)
    values = {key_of(address, slot): value for (address, slot), value in former.items()}
    return put_values(connection, had, values)


def put_values(connection: sqlite3.Connection, had: Cells, values: Mapping[bytes, object]) -> Cells:
    """Write values in place of those that there are; None is one that is gone."""
    keys, done = sorted(values), 0
    while done < len(keys):
        stretch = stretch_at(connection, keys[done])
        until = bisect_left(keys, stretch.end, done)
        had = _put_within(connection, had, stretch, {key: values[key] for key in keys[done:until]})
        done = until
    return had


def _put_within(
    connection: sqlite3.Connection, had: Cells, stretch: Stretch, values: Mapping[bytes, object]
) -> Cells:
    """Write values whose keys are in one stretch. The sum changes by what is written, so a damaged row stays noticed."""
    number, total = stretch.number, stretch.total
    if number:
        for key in values:
            query = 'select row from "chain:cells" where place = ?'
            for (row,) in connection.execute(query, (key,)).fetchall():
                number, total = number - 1, total - _sum_of((key, row))
                connection.execute('delete from "chain:cells" where place = ?', (key,))
    rows = [(key, add_checksum("cells", key, value)) for key, value in values.items() if value is not None]  # fmt: skip
    connection.executemany('insert into "chain:cells" values (?, ?)', rows)
    number, total = number + len(rows), total + _total(rows)
    changed = Stretch(stretch.first, stretch.end, number, total & _WRAP)
    had = Cells(had.rows + number - stretch.number, had.stretches)
    if number <= _LONGEST:
        _put_stretch(connection, changed)
        return had
    parts = _split(changed, rows_of(connection, changed))
    for part in parts:
        _put_stretch(connection, part)
    return had._replace(stretches=had.stretches + len(parts) - 1)


def _split(stretch: Stretch, rows: Mapping[bytes, bytes]) -> list[Stretch]:
    keys = list(rows)
    firsts = [stretch.first, *keys[_SIZE::_SIZE], stretch.end]
    parts = []
    for i, first in enumerate(firsts[:-1]):
        within = keys[i * _SIZE : (i + 1) * _SIZE]
        total = _total((key, rows[key]) for key in within)
        parts.append(Stretch(first, firsts[i + 1], len(within), total))
    return parts


def _put_stretch(connection: sqlite3.Connection, stretch: Stretch) -> None:
    first, *rest = stretch
    row = add_checksum("stretches", first, tuple(rest))
    connection.execute('insert or replace into "chain:stretches" values (?, ?)', (first, row))


def _total(rows: Iterable[tuple[bytes, bytes]]) -> int:
    return sum(map(_sum_of, rows)) & _WRAP


def _sum_of(item: tuple[bytes, bytes]) -> int:
    key, row = item
    return crc32(key, int.from_bytes(row[:4]))
