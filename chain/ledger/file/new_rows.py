"""The rows that a step adds to a chain's file besides its receipts: blocks and slots, and what is rarely new."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from itertools import islice
from typing import Any, TypeVar

from chain.crypto.accounts import Account
from chain.crypto.messagepack import encode
from chain.ledger.file.checksum import sealed
from chain.ledger.file.load_ledger import LedgerLengths
from chain.ledger.kept_programs import kept_rows
from chain.ledger.ledger import Ledger
from chain.storage.slots import hashed

K = TypeVar("K")
V = TypeVar("V")


def put(
    connection: sqlite3.Connection, table: str, rows: Iterable[tuple[int | bytes, Any]]
) -> None:
    """Write rows under their keys, each with its checksum."""
    connection.executemany(
        # an update in place takes less time than to replace a row
        f'insert into "chain:{table}" values (?, ?) on conflict do update set row = excluded.row',
        [(key, sealed(table, key, encode(row))) for key, row in rows],
    )


def write_others(
    connection: sqlite3.Connection, ledger: Ledger, keys: dict[bytes, Account],
    had: LedgerLengths, have: LedgerLengths,
) -> None:  # fmt: skip
    """Write new blocks and slots, and rows that are rarely new."""
    if have.blocks > had.blocks:
        blocks = enumerate(ledger.blocks.rows_from(had.blocks), had.blocks)
        put(connection, "blocks", blocks)
    if have.slots > had.slots:
        new = enumerate(ledger.state.slots.since(had.slots), had.slots)
        rows = [
            (place, hashed(parent, key).to_bytes(32), parent.to_bytes(32), key)
            for place, (parent, key) in new
        ]
        connection.executemany('insert or ignore into "chain:slots" values (?, ?, ?, ?)', rows)
    if have.codes > had.codes or have.keys > had.keys or have.artifacts > had.artifacts:
        _write_seldom(connection, ledger, keys, had)


def _write_seldom(
    connection: sqlite3.Connection, ledger: Ledger, keys: dict[bytes, Account], had: LedgerLengths
) -> None:
    """Write new codes, keys and artifacts."""
    codes = (code for _, code in _new_items(ledger.state.codes, had.codes))
    put(connection, "codes", enumerate(codes, had.codes))
    rows_of_keys = (
        (bytes(address), account.key, account.name)
        for address, account in _new_items(keys, had.keys)
    )
    put(connection, "keys", enumerate(rows_of_keys, had.keys))
    artifacts = ledger.artifacts.newest(had.artifacts)
    rows_of_artifacts = ((digest, artifact.row) for digest, artifact in artifacts)
    put(connection, "artifacts", enumerate(rows_of_artifacts, had.artifacts))
    put(connection, "programs", kept_rows(ledger.programs, (digest for digest, _ in artifacts)))


def _new_items(grown: dict[K, V], length: int) -> list[tuple[K, V]]:
    """Return the items of a dict after its first `length`."""
    return [*islice(reversed(grown.items()), len(grown) - length)][::-1]
