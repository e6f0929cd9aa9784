"""Methods for the block explorer Otterscan: blocks in pages, the transactions of an account, the creator of a contract."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from chain.ledger.blocks import Block
from chain.ledger.receipts import Receipt
from chain.machine.recording import CallStep, Destroyed
from chain.rpc.block_tags import LATEST, find_block, require_block, state_at
from chain.rpc.debug.debug_traces import replayed
from chain.rpc.debug.tracers import CALL_TYPES
from chain.rpc.errors import bad_params
from chain.rpc.eth.blocks import receipts_in
from chain.rpc.hex_values import data, quantity, to_address, to_int
from chain.rpc.json_format import Json, block_json, receipt_json, transaction_json
from chain.rpc.node import Node
from chain.rpc.trace.flat_traces import TracedMessage, messages_of
from chain.rpc.trace.traces import ends_of, need
from chain.types import Address

_LEVEL: Final = 8  # the version by which Otterscan knows that all methods exist
_MOST: Final = 1_000  # transactions of a page
_SELECTOR: Final = 10  # characters
_TRANSFER, _DESTRUCTION, _CREATION, _CREATION_2 = range(4)


def api_level(node: Node) -> int:
    """Return the version of the Otterscan methods."""
    return _LEVEL


def has_code(node: Node, address: object, block: object = LATEST) -> bool:
    """Return True if there is a contract at this address."""
    reader, _ = state_at(node.chain, block)
    return bool(reader.state.code(to_address(address)))


# Transactions


def transaction_error(node: Node, tx_hash: object) -> str:
    """Return the revert data of a transaction, empty if it succeeded."""
    error = need(node, tx_hash).error
    return data(b"" if error is None else error.data)


def trace_transaction(node: Node, tx_hash: object) -> list[Json]:
    """Return all messages of a transaction in order, each with its depth."""
    return [_entry(message) for message in messages_of(replayed(node, need(node, tx_hash)))]


def _entry(message: TracedMessage) -> Json:
    step, (sender, receiver) = message.step, message.ends
    ends = {"depth": len(message.path), "from": data(sender), "to": data(receiver)}
    if isinstance(step, Destroyed):
        value = quantity(step.balance)
        return {"type": "SELFDESTRUCT", **ends, "value": value, "input": "0x", "output": "0x"}
    frame = step.frame
    has_value = frame.kind in ("call", "create")
    return {
        "type": step.by or CALL_TYPES[frame.kind],
        **ends,
        "value": quantity(frame.value) if has_value else None,
        "input": data(frame.data),
        "output": data(frame.output),
    }


def internal_operations(node: Node, tx_hash: object) -> list[Json]:
    """Return the operations of a transaction's contracts: ether transfers, creations, and self-destructions."""
    messages = messages_of(replayed(node, need(node, tx_hash)))
    return [shown for message in messages if message.path and (shown := _operation(message))]


def _operation(message: TracedMessage) -> Json | None:
    step, (sender, receiver) = message.step, message.ends
    match step:
        case Destroyed(balance=value):
            kind = _DESTRUCTION
        case CallStep(frame) if frame.failure is not None or frame.kind in ("static", "delegate"):
            return None
        case CallStep(frame, by):
            value, kind = frame.value, _TRANSFER
            if frame.kind == "create":
                kind = _CREATION_2 if by == "CREATE2" else _CREATION
            elif not value:
                return None
    return {"type": kind, "from": data(sender), "to": data(receiver), "value": quantity(value)}


def transaction_hash_of(node: Node, sender: object, nonce: object) -> str | None:
    """Return the hash of the last transaction with this sender and nonce."""
    number, account = to_int(nonce, "the nonce"), Address(to_address(sender))
    receipts = node.chain.receipts.where(lambda receipt: receipt.nonce == number, sender=account)
    receipt = receipts.last()
    return None if receipt is None else data(receipt.tx_hash)


def contract_creator(node: Node, address: object) -> Json | None:
    """Return the transaction that created a contract, and the account that created it."""
    wanted, ledger = to_address(address), node.chain.ledger
    for receipt in _backwards(node, len(ledger.receipts)):
        if not receipt.ok:
            continue
        if receipt.to is None and receipt.address == wanted:
            return {"hash": data(receipt.tx_hash), "creator": data(receipt.sender)}
        for kind, made, creator, *_ in receipt.call_rows:
            if kind == "create" and made == wanted:
                return {"hash": data(receipt.tx_hash), "creator": data(creator)}
    return None


# Blocks


def block_details(node: Node, block: object) -> Json | None:
    """Return a block without its transactions, with their number and fees."""
    found = find_block(node.chain, block)
    if found is None:
        return None
    receipts = receipts_in(node, found)
    return {
        "block": _slim(node, found),
        "issuance": dict.fromkeys(("blockReward", "uncleReward", "issuance"), "0x0"),
        "totalFees": quantity(sum(each.gas_used * each.gas_price for each in receipts)),
    }


def _slim(node: Node, block: Block) -> Json:
    shown = block_json(node.chain.ledger, block, full=False)
    count = len(shown.pop("transactions"))
    return {**shown, "logsBloom": None, "transactionCount": count}


def block_transactions(node: Node, block: object, page: object, size: object) -> Json:
    """Return a page of a block's transactions, with their receipts; the last transactions are on page 0."""
    found, chain = require_block(node.chain, block), node.chain
    receipts, length = receipts_in(node, found), _page_size(size)
    end = max(0, len(receipts) - to_int(page, "the page") * length)
    shown = receipts[max(0, end - length) : end]
    transactions = [transaction_json(chain.ledger, receipt) for receipt in shown]
    for each in transactions:
        each["input"] = each["input"][:_SELECTOR]
    return {
        "fullblock": {**_slim(node, found), "transactions": transactions},
        "receipts": [_receipt(node, each) | {"logs": None, "logsBloom": None} for each in shown],
    }


def _receipt(node: Node, receipt: Receipt) -> Json:
    return {**receipt_json(node.chain.ledger, receipt), "timestamp": receipt.timestamp}


def _page_size(size: object) -> int:
    number = to_int(size, "the size of a page")
    if not 0 < number <= _MOST:
        raise bad_params(f"a page has 1 to {_MOST} transactions, not {number}")
    return number


# The transactions of an account


def transactions_before(node: Node, address: object, block: object, size: object) -> Json:
    """Return the last transactions before a block that involve an account; 0 stands for after the last block."""
    number, ledger = to_int(block, "the block"), node.chain.ledger
    end = len(ledger.receipts) if ledger.open is None else ledger.open.first_receipt
    if 0 < number < len(ledger.blocks):
        end = ledger.blocks[number].first_receipt
    found, is_all = _page(_backwards(node, end), to_address(address), _page_size(size))
    return _found(node, found, first=not 0 < number <= node.chain.head.number, last=is_all)


def transactions_after(node: Node, address: object, block: object, size: object) -> Json:
    """Return the first transactions after a block that involve an account, newest first."""
    number, ledger = to_int(block, "the block"), node.chain.ledger
    last = node.chain.head
    start = ledger.blocks[number].end_receipt if number <= last.number else last.end_receipt
    rising = (ledger.receipts[position] for position in range(start, last.end_receipt))
    found, is_all = _page(rising, to_address(address), _page_size(size))
    return _found(node, found[::-1], first=is_all, last=not number)


def _backwards(node: Node, end: int) -> Iterator[Receipt]:
    receipts = node.chain.ledger.receipts
    return (receipts[position] for position in range(end - 1, -1, -1))


def _page(receipts: Iterable[Receipt], address: bytes, size: int) -> tuple[list[Receipt], bool]:
    """Return the receipts of a page, which ends with a whole block, and whether there are no others."""
    found = list[Receipt]()
    for receipt in receipts:
        if address not in ends_of(receipt):
            continue
        if len(found) >= size and receipt.block_number != found[-1].block_number:
            return found, False
        found.append(receipt)
    return found, True


def _found(node: Node, receipts: list[Receipt], *, first: bool, last: bool) -> Json:
    return {
        "txs": [transaction_json(node.chain.ledger, receipt) for receipt in receipts],
        "receipts": [_receipt(node, receipt) for receipt in receipts],
        "firstPage": first,
        "lastPage": last,
    }
