"""Methods for a chain that is used from elsewhere (`Chain.connect`): what is new, rows of the ledger, and sending.

An answer is MessagePack in hex, with rows as in a chain's file; data in that form is never read from a client, and no code
travels. Rows do not change unless this chain goes back, which changes its mark: then the client begins again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from itertools import islice
from typing import Any, Final

from chain.crypto.messagepack import encode
from chain.ledger.file.rows import serialize_row
from chain.ledger.sql.sql_view import QueryLimits
from chain.ledger.store import PARTS
from chain.rpc.errors import bad_params, refused
from chain.rpc.hex_values import data, to_address, to_bytes, to_int, to_list, to_object
from chain.rpc.node import Node
from chain.types import Address

ROWS: Final = 500  # in one answer
_BYTES: Final = 1 << 22  # after which an answer ends
# The most that one answer has of new codes, named accounts, artifacts, slots, notes and creations.
_MOST: Final = (500, 500, 100, 10_000, 500, 5_000)
_LASTING: Final = 4  # of which the first are never undone
_BOUNDS: Final = QueryLimits(rows=100_000, bytes=1 << 23, steps=20_000_000)
_SLICE: Final = 0.05  # seconds for which tables are filled while other clients wait
_READING: Final = {
    sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE,
}  # fmt: skip


# What is new


def head(node: Node, mark: object, counts: object) -> str:
    """Return the mark, the rules, the present, and what is new in the lists of which the client has so many items."""
    return data(encode(_head(node, mark, counts)))


def _head(node: Node, mark: object, counts: object) -> tuple[Any, ...]:
    chain, ledger = node.chain, node.chain.ledger
    has = [to_int(count, "a count") for count in to_list(counts, "the counts")]
    if len(has) != len(_MOST):
        raise bad_params(f"the counts are {len(_MOST)} numbers, those of the last answer or zeros")
    _check_chain(node, mark)
    if mark != node.mark:
        has[_LASTING:] = [0] * (len(_MOST) - _LASTING)
    timeline = ledger.timeline
    lists: list[Iterable[Any]] = [
        islice(ledger.state.codes.values(), has[0], None),
        ((bytes(account), account.name) for account in islice(chain.keys.values(), has[1], None)),
        ((digest, each.row) for digest, each in ledger.artifacts.newest(has[2])),
        ledger.state.slots.since(has[3]),
        ((moment, timeline[moment]) for moment in islice(timeline.notes, has[4], None)),
        map(tuple, ledger.creations.rows[has[5] :]),
    ]
    new = [list(islice(each, most)) for each, most in zip(lists, _MOST, strict=True)]
    has_more = any(len(each) == most for each, most in zip(new, _MOST, strict=True))
    rules, open_block = chain.blocks.rules, ledger.open
    return (
        node.mark, node.kept_since(str(mark)),
        (rules.chain_id, rules.seed, rules.gas_limit, rules.elastic_fees, rules.fork.name, rules.tx_gas_cap),
        ledger.blocks.row(0), ledger.blocks.head.row, None if open_block is None else open_block.row,
        (len(ledger.blocks), len(ledger.timeline), len(ledger.receipts)),
        chain.mining._replace(clock=chain.now), new, int(has_more),
    )  # fmt: skip


def _check(node: Node, mark: object) -> None:
    """Refuse questions about a chain that went back since, or that began again."""
    _check_chain(node, mark)
    if mark and mark != node.mark:
        raise refused("the chain went back meanwhile: ask again")


def _check_chain(node: Node, mark: object) -> None:
    if mark and str(mark).partition(".")[0] != node.mark.partition(".")[0]:
        raise refused("this chain was reset: connect to it again")


# Rows


def rows(node: Node, mark: object, kind: object, first: object) -> str:
    """Return receipts or blocks from a place on, fewer if they are large; without a mark, of the chain as it is now."""
    _check(node, mark)
    start, ledger = to_int(first, "the place", 64), node.chain.ledger
    if kind == "blocks":
        return data(encode([block.row for block in ledger.blocks[start : start + ROWS]]))
    if kind != "receipts":
        raise bad_params(f"there are no rows {kind!r}; there are receipts and blocks")
    packed, size = list[bytes](), 0
    for receipt in ledger.receipts[start : start + ROWS]:
        packed.append(encode(serialize_row(receipt.row)))
        size += len(packed[-1])
        if size > _BYTES:
            break
    return data(encode(packed))


def table(node: Node, mark: object, part: object, question: object, values: object) -> str:
    """Return the rows of a query on a part of the derived tables; None if these must still be filled: ask again then."""
    _check(node, mark)
    store, given = node.chain.ledger.store, to_list(values, "the values")
    if part not in PARTS or not isinstance(question, str):
        raise bad_params(f"a query is a text on one of {', '.join(PARTS)}")
    sent = [to_bytes(each[0], "a value") if isinstance(each, list) and each else each for each in given]  # fmt: skip
    with node.chain.lock:
        if not store.catch_up((part,), _SLICE):
            return data(encode(None))
        connection = store.connection()
        connection.set_authorizer(_authorize)
        try:
            with _BOUNDS.applied(connection):
                return data(encode(_BOUNDS.fetch(connection.execute(question, sent))))
        except (sqlite3.Error, sqlite3.Warning, OverflowError, TypeError, ValueError) as problem:
            raise bad_params(f"{question!r}: {problem}") from None
        finally:
            connection.set_authorizer(None)


def _authorize(action: int, what: str | None, *_: str | None) -> int:
    """Allow to read the derived tables, and nothing else: a file has other tables beside them."""
    reads = action == sqlite3.SQLITE_READ and (what or "").startswith(("derived:", "json_each"))
    # json_each asks for the permission to change this table, and does not do so.
    asks = action == sqlite3.SQLITE_UPDATE and what == "sqlite_master"
    return sqlite3.SQLITE_OK if reads or asks or action in _READING else sqlite3.SQLITE_DENY


# Sending


def transact(node: Node, mark: object, counts: object, fields: object) -> str:
    """Send a transaction from any account, as `Chain.send` does. Return its receipt, and what is new."""
    _check_chain(node, mark)
    message = to_object(fields, "the transaction")
    to, gas = message.get("to"), message.get("gas")
    receipt = node.chain.send(
        None if to is None else Address(to_address(to, "'to'")),
        to_bytes(message.get("data", "0x"), "'data'"),
        sender=Address(to_address(message.get("from"), "'from'")),
        value=to_int(message.get("value", 0), "'value'"),
        gas=None if gas is None else to_int(gas, "'gas'"),
    )
    row = encode(serialize_row(receipt.row))
    return data(encode((receipt.position, row, _head(node, mark, counts))))
