"""Methods that find transactions and receipts, and those that send transactions."""

from __future__ import annotations

from typing import Any

from chain.ledger.receipts import Receipt
from chain.ledger.signing import attach_signature, encode_signed
from chain.machine.transaction import Transaction
from chain.rpc.block_tags import find_block
from chain.rpc.control.txpool import apply, queued_json, submit
from chain.rpc.errors import refused
from chain.rpc.eth.blocks import receipts_in
from chain.rpc.eth.calls import needed_gas
from chain.rpc.eth.signatures import signing_account
from chain.rpc.hex_values import data, to_address, to_bytes, to_hash, to_int, to_object
from chain.rpc.json_format import (
    Json,
    closed_receipt_json,
    receipt_json,
    signed_json,
    transaction_json,
)
from chain.rpc.node import JsonText, Node
from chain.rpc.queue import raw_bytes_of
from chain.rpc.transaction_fields import parse_fields, parse_signed
from chain.types import Address

# Finding


def get_transaction(node: Node, tx_hash: object) -> Json | None:
    """Return a transaction, which may still wait for those before it."""
    chain, raw_hash = node.chain, to_hash(tx_hash)
    queued = node.queue.find(chain, raw_hash)
    if queued is not None:
        return queued_json(chain, queued)
    receipt = chain.ledger.find(raw_hash)
    return None if receipt is None else transaction_json(chain.ledger, receipt)


def get_raw_transaction(node: Node, tx_hash: object) -> str | None:
    """Return the signed bytes of a transaction."""
    chain, raw_hash = node.chain, to_hash(tx_hash)
    queued = node.queue.find(chain, raw_hash)
    if queued is not None:
        return data(raw_bytes_of(chain, queued))
    receipt = chain.ledger.find(raw_hash)
    return None if receipt is None else data(chain.ledger.envelope_of(receipt))


def get_transaction_in(node: Node, block: object, index: object) -> Json | None:
    """Return a transaction of a block by its index."""
    receipt = _receipt_in(node, block, index)
    return None if receipt is None else transaction_json(node.chain.ledger, receipt)


def get_raw_transaction_in(node: Node, block: object, index: object) -> str | None:
    """Return the signed bytes of a transaction of a block by its index."""
    receipt = _receipt_in(node, block, index)
    return None if receipt is None else data(node.chain.ledger.envelope_of(receipt))


def get_transaction_of(node: Node, sender: object, nonce: object) -> Json | None:
    """Return the transaction with this sender and nonce, the last one if the nonce was reset."""
    chain, account, number = (
        node.chain,
        Address(to_address(sender)),
        to_int(nonce, "the nonce"),
    )
    queued = node.queue.items.get((account, number))
    if queued is not None and number >= chain.nonce(account):
        return queued_json(chain, queued)
    receipt = chain.receipts.where(
        lambda candidate: candidate.nonce == number, sender=account
    ).last()
    return None if receipt is None else transaction_json(chain.ledger, receipt)


def _receipt_in(node: Node, block: object, index: object) -> Receipt | None:
    found_block, position = find_block(node.chain, block), to_int(index, "the index")
    receipts = [] if found_block is None else receipts_in(node, found_block)
    return receipts[position] if position < len(receipts) else None


def get_transaction_receipt(node: Node, tx_hash: object) -> Json | None:
    """Return the receipt, or None while the transaction's block is open."""
    return closed_receipt_json(node.chain.ledger, to_hash(tx_hash))


def get_transaction_receipt_text(node: Node, tx_hash: object) -> JsonText:
    """Return what `get_transaction_receipt` returns, as text."""
    return JsonText(node.receipt_texts.text(to_hash(tx_hash)))


# Sending


def send_transaction(node: Node, fields: object) -> str:
    """Send from an account whose key the chain has. Without `gas` the estimate is used."""
    return data(submit(node, parse_sent(node, fields)))


def send_unsigned(node: Node, fields: object) -> str:
    """Send from any account, even if the chain does not have its key."""
    tx = parse_fields(node.chain, fields, node.chain.pending)
    return data(submit(node, _with_gas(node, fields, tx)))


def parse_sent(node: Node, fields: object) -> Transaction:
    """Return a transaction that the node signs, or that is sent from an impersonated account."""
    tx = parse_fields(node.chain, fields, node.chain.pending)
    if not node.impersonates_all and tx.sender not in node.impersonated:
        signing_account(node, tx.sender)
    return _with_gas(node, fields, tx)


def _with_gas(node: Node, fields: Any, tx: Transaction) -> Transaction:
    """Give a transaction the gas that it needs, if the client names none."""
    if fields.get("gas") is None and tx.raw is None:
        return tx._replace(gas=needed_gas(node.chain, tx, node.chain.pending))
    return tx


def send_raw_transaction(node: Node, raw: object) -> str:
    """Send signed bytes, and return the hash of the transaction."""
    return data(submit(node, parse_signed(node.chain, to_bytes(raw, "the transaction"))))


def send_raw_transaction_sync(node: Node, raw: object, timeout: object = None) -> Json:
    """Send signed bytes, and return the receipt (EIP-7966), which exists at once: each transaction has its own block."""
    _require_automine(node, "eth_sendRawTransaction")
    tx = parse_signed(node.chain, to_bytes(raw, "the transaction"))
    return receipt_json(node.chain.ledger, apply(node.chain, tx))


def send_transaction_sync(node: Node, fields: object, timeout: object = None) -> Json:
    """Send from an account whose key the chain has, and return the receipt, as `eth_sendRawTransactionSync` does."""
    _require_automine(node, "eth_sendTransaction")
    return receipt_json(node.chain.ledger, apply(node.chain, parse_sent(node, fields)))


def _require_automine(node: Node, other: str) -> None:
    if not node.chain.automine:
        raise refused(f"with automine off there is no receipt to wait for: use {other}")


def sign_transaction(node: Node, fields: object) -> Json:
    """Return a transaction as signed bytes, without sending it."""
    chain = node.chain
    tx = parse_fields(chain, fields, chain.pending)
    raw = tx.raw or encode_signed(tx, chain.chain_id, signing_account(node, tx.sender))
    return {"raw": data(raw), "tx": signed_json(tx, raw, chain.chain_id)}


def fill_transaction(node: Node, fields: Any) -> Json:
    """Return a transaction with all of its fields, to be signed elsewhere: its signature is all zeros."""
    chain = node.chain
    if to_object(fields, "the transaction").get("blobVersionedHashes") is not None:
        fields = {"maxFeePerBlobGas": chain.pending.blob_base_fee, **fields}
    tx = parse_fields(chain, fields, chain.pending, signs=False)
    if fields.get("gas") is None:
        gas = needed_gas(chain, tx, chain.pending)
        tx = parse_fields(chain, {**fields, "gas": gas}, chain.pending, signs=False)
    raw = tx.raw or attach_signature(tx, chain.chain_id, 0, 0, 0)
    return {"raw": data(raw), "tx": signed_json(tx, raw, chain.chain_id)}
