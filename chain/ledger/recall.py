"""Reading a chain from its file: the ledger from its rows, the state from what the ledger says was changed."""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from chain.accounts import Account, account
from chain.ledger.artifacts import Artifact
from chain.ledger.blocks import Block, Mining
from chain.ledger.cbor import BadCbor
from chain.ledger.file import File, now_in, unsealed
from chain.ledger.headers import Header
from chain.ledger.ledger import Ledger
from chain.ledger.rows import unpack, unpack_changes
from chain.machine.roots import beginning
from chain.machine.transaction import Call


class Lengths(NamedTuple):
    """How much of everything that grows is in the file."""

    blocks: int = 0
    moments: int = 0
    receipts: int = 0
    codes: int = 0
    slots: int = 0
    keys: int = 0
    artifacts: int = 0


class Memory(NamedTuple):
    """What a file says that is not in the ledger."""

    had: Lengths
    mining: Mining
    number: int = 0  # of the step that was written last


def load(file: File, ledger: Ledger, keys: dict[bytes, Account]) -> Memory:
    """Fill the ledger of a fresh chain, and its state, from the file; the state root must come out as it was."""
    with file.reading() as connection, _uninterrupted():
        _, *now = now_in(connection)
        if not now:  # it was made, and then nothing more came of it
            return Memory(Lengths(), Mining(ledger.blocks.head.timestamp))
        ((mining, held, expected, number),) = now
        for raw, key, name in connection.execute('select * from "chain:keys" order by rowid'):
            keys.setdefault(raw, account(raw, key, name))
        _load_words(connection, ledger)
        _load_artifacts(connection, ledger)
        had = _load_rows(connection, ledger)
        had = had._replace(keys=len(keys), artifacts=len(ledger.artifacts))
        if had != expected:
            raise BadCbor("not all that was written is there")
        if held is not None:
            ledger.open = Block(ledger.blocks.rules, *held)
    return Memory(had, Mining._make(mining), number)


def _load_words(connection: sqlite3.Connection, ledger: Ledger) -> None:
    """Codes under their hashes, and slots with what they were made from: both are hashed anew."""
    state = ledger.state
    for (code,) in connection.execute('select code from "chain:codes" order by place'):
        state.learn_code(code)
    slots = state.slots
    for parent, key in connection.execute('select parent, key from "chain:slots" order by place'):
        slot = int.from_bytes(parent)
        if key is None:
            slots.data(slot)
        else:
            slots.mapped(slot, key)


def _load_artifacts(connection: sqlite3.Connection, ledger: Ledger) -> None:
    rows = connection.execute('select digest, row from "chain:artifacts" order by place')
    for digest, row in rows:
        ledger.artifacts.add(digest, Artifact.from_row(unsealed(row)))


def _load_rows(connection: sqlite3.Connection, ledger: Ledger) -> Lengths:
    state = ledger.state
    notes = {
        moment: unpack_changes(unsealed(row))
        for moment, row in connection.execute('select moment, row from "chain:notes"')
    }
    rows, hashes = [], []

    def link(call: Call, digest: bytes) -> None:
        ledger.strangers.setdefault(digest, []).append(call)

    for tx_hash, row in connection.execute(
        'select hash, row from "chain:receipts" order by position'
    ):
        rows.append(unpack(unsealed(row), link))
        hashes.append(tx_hash)
    blocks, headers, block_hashes = [], [], []
    for block_hash, row in connection.execute(
        'select hash, row from "chain:blocks" order by number'
    ):
        block, header = unsealed(row)
        blocks.append(block)
        headers.append(header)
        block_hashes.append(block_hash)
    ledger.restore(blocks, rows, notes)
    ledger.envelopes.restore(hashes)

    end = ledger.blocks.head.end_moment
    for changes in ledger.timeline[:end]:
        state.put_back(changes)
    world = beginning(state, ())
    if world.root != Header._make(headers[-1]).state_root:
        raise BadCbor("its changes do not lead to the state root of its last block")
    for changes in ledger.timeline[end:]:
        state.put_back(changes)
    ledger.headers.restore(headers, block_hashes, world)
    return Lengths(
        len(blocks), len(ledger.timeline), len(rows), len(state.codes), len(state.slots.origins)
    )


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Python's garbage collector walks millions of new tuples in vain."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
