"""Methods that trace transactions in Parity's format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from chain.ledger.ledger import Ledger
from chain.ledger.receipts import Receipt
from chain.ledger.reexecution import recording_machine
from chain.rpc.block_tags import LATEST, block_number_of, require_block
from chain.rpc.debug.debug_traces import refuse_unreplayable, replayed, run_aside
from chain.rpc.debug.tracers import TracedRun
from chain.rpc.errors import bad_params, refused
from chain.rpc.eth.blocks import receipts_in
from chain.rpc.hex_values import (
    data,
    known_fields,
    to_address,
    to_hash,
    to_int,
    to_list,
)
from chain.rpc.json_format import Json, is_pending
from chain.rpc.node import Node
from chain.rpc.trace.flat_traces import TracedMessage, messages_of, trace_json
from chain.rpc.trace.state_diffs import state_diff

_KINDS: Final = ("trace", "stateDiff", "vmTrace")
_FILTER: Final = ("fromBlock", "toBlock", "fromAddress", "toAddress", "mode", "after", "count")
_MODES: Final = ("union", "intersection")


# Past transactions


def transaction(node: Node, tx_hash: object) -> list[Json]:
    """Return all messages of a transaction."""
    return list(_traces(node, need(node, tx_hash)))


def get(node: Node, tx_hash: object, path: object) -> Json | None:
    """Return one message of a transaction, by its path in the tree."""
    numbers = [to_int(number, "a number of the path") for number in to_list(path, "the path")]
    for shown in _traces(node, need(node, tx_hash)):
        if shown["traceAddress"] == numbers:
            return shown
    return None


def block(node: Node, block: object) -> list[Json]:
    """Return all messages of a block."""
    receipts = receipts_in(node, require_block(node.chain, block))
    return [shown for receipt in receipts for shown in _traces(node, receipt)]


def find(node: Node, filter: object) -> list[Json]:
    """Return the messages in a range of blocks, from and to these addresses; some of them with `after` and `count`."""
    fields, chain = known_fields(filter, _FILTER, "the filter"), node.chain
    first = block_number_of(chain, fields.get("fromBlock", "earliest"))
    last = min(block_number_of(chain, fields.get("toBlock", LATEST)), chain.head.number)
    node.limits.check("log_range", last + 1 - first, "blocks")
    mode = fields.get("mode", _MODES[0])
    if mode not in _MODES:
        raise bad_params(f"'mode' is {mode!r}; it is {' or '.join(_MODES)}")
    ends = [_addresses(fields, name) for name in ("fromAddress", "toAddress")]
    after = to_int(fields.get("after", 0), "'after'")
    count = to_int(fields.get("count", node.limits.logs), "'count'")
    node.limits.check("logs", count, "traces")
    found = list[Json]()
    for receipt in _receipts(chain.ledger, first, last, frozenset().union(*ends)):
        found += _matching(node, receipt, ends, mode)
        if len(found) >= after + count:
            break
    return found[after : after + count]


def _addresses(fields: Json, name: str) -> frozenset[bytes]:
    return frozenset(map(to_address, to_list(fields.get(name) or (), f"'{name}'")))


def _receipts(ledger: Ledger, first: int, last: int, wanted: frozenset[bytes]) -> Iterator[Receipt]:
    """Yield the receipts of these blocks; if addresses are given, only those that involve them."""
    if first > last:
        return
    start, end = ledger.blocks[first].first_receipt, ledger.blocks[last].end_receipt
    for position in range(start, end):
        receipt = ledger.receipts[position]
        # A contract that ends sends ether without a message.
        if not wanted or wanted & {*ends_of(receipt), *receipt.changes[::4]}:
            yield receipt


def ends_of(receipt: Receipt) -> set[bytes]:
    """Return all accounts that sent or received a message of a transaction."""
    rows = receipt.call_rows
    ends = {bytes(receipt.sender), bytes(receipt.address)}
    return ends.union(*(row[1:3] for row in rows))


def _matching(
    node: Node, receipt: Receipt, ends: list[frozenset[bytes]], mode: str
) -> Iterator[Json]:
    for message in messages_of(replayed(node, receipt)):
        matches = [end in wanted for end, wanted in zip(message.ends, ends, strict=True) if wanted]
        if all(matches) if mode == "intersection" or not matches else any(matches):
            yield _placed(node, receipt, message)


def _traces(node: Node, receipt: Receipt) -> Iterator[Json]:
    for message in messages_of(replayed(node, receipt)):
        yield _placed(node, receipt, message)


def _placed(node: Node, receipt: Receipt, message: TracedMessage) -> Json:
    """Return a message with its transaction and block."""
    number, ledger = receipt.block_number, node.chain.ledger
    pending = is_pending(ledger, number)
    return {
        **trace_json(message),
        "blockHash": None if pending else data(ledger.block_hash(number)),
        "blockNumber": number,
        "transactionHash": data(receipt.tx_hash),
        "transactionPosition": receipt.index,
    }


def need(node: Node, tx_hash: object) -> Receipt:
    """Return the receipt of a transaction, or refuse if there is none."""
    receipt = node.chain.ledger.find(to_hash(tx_hash))
    if receipt is None:
        raise refused(f"transaction not found: there is no {tx_hash}")
    return receipt


# Runs


def replay_transaction(node: Node, tx_hash: object, kinds: object) -> Json:
    """Run a transaction again, and return its output with the requested `kinds`: its messages or its changes."""
    return _result(replayed(node, need(node, tx_hash)), _kinds(kinds))


def replay_block(node: Node, block: object, kinds: object) -> list[Json]:
    """Run the transactions of a block again, and return the requested `kinds` of traces for each."""
    asked = _kinds(kinds)
    return [
        {**_result(replayed(node, receipt), asked), "transactionHash": data(receipt.tx_hash)}
        for receipt in receipts_in(node, require_block(node.chain, block))
    ]


def call(node: Node, fields: object, kinds: object, block: object = LATEST) -> Json:
    """Run a message at the end of a block, undo it, and return the requested `kinds` of traces."""
    asked, machine = _kinds(kinds), recording_machine(node.chain.ledger)
    with refuse_unreplayable():
        return _result(run_aside(node, fields, block, machine)[1], asked)


def _kinds(kinds: object) -> list[object]:
    asked = to_list(kinds, "the kinds of traces")
    for kind in asked:
        if kind not in _KINDS:
            raise bad_params(f"there is no {kind!r} of a transaction: there are trace, stateDiff")
    if "vmTrace" in asked:
        raise refused("there is no vmTrace here: debug_traceTransaction shows all operations")
    return asked


def _result(run: TracedRun, asked: list[object]) -> Json:
    return {
        "output": data(run.outcome.frame.output),
        "trace": [trace_json(each) for each in messages_of(run)] if "trace" in asked else [],
        "stateDiff": state_diff(run) if "stateDiff" in asked else None,
        "vmTrace": None,
    }
