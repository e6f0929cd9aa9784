"""The JSON format of blocks, transactions, receipts and logs.

Transactions of the open block are pending: they have no block hash, no index and no receipt yet.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from chain.crypto import rlp
from chain.crypto.hashing import keccak
from chain.ledger.blocks import Block
from chain.ledger.headers import Header, blob_gas_of, bloom_of, encode_block, make_header
from chain.ledger.ledger import Ledger
from chain.ledger.log_list import LogPlace
from chain.ledger.receipts import Receipt
from chain.machine.state import LogRow
from chain.machine.transaction import Transaction
from chain.rpc.hex_values import data, quantity, word
from chain.rpc.transaction_fields import AUTHORIZATION

Json = dict[str, Any]
json_text: Final = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


# Blocks


def block_json(ledger: Ledger, block: Block, full: bool) -> Json:
    """Return a block with its transactions, as hashes or in full. The open block is as if it were closed now, without hash."""
    receipts = ledger.receipts[block.first_receipt : _end(ledger, block)]
    pending = is_pending(ledger, block.number)
    header = _open_header(ledger, block, receipts) if pending else ledger.header(block.number)
    return {
        **header_json(header, None if pending else ledger.block_hash(block.number)),
        "totalDifficulty": quantity(header.difficulty),
        "size": quantity(len(encode_block(header, map(ledger.envelope_of, receipts)))),
        "transactions": [
            transaction_json(ledger, receipt) if full else data(receipt.tx_hash)
            for receipt in receipts
        ],
        "uncles": [],
        "withdrawals": [],
    }


def _open_header(ledger: Ledger, block: Block, receipts: Sequence[Receipt]) -> Header:
    parent_hash, trie = ledger.block_hash(block.number - 1), ledger.world(block.number)
    return make_header(block, parent_hash, trie.root, receipts)


def header_json(header: Header, block_hash: bytes | None) -> Json:
    """Return the fields of a block that its header has."""
    return {
        "number": quantity(header.number),
        "hash": None if block_hash is None else data(block_hash),
        "parentHash": data(header.parent_hash),
        "nonce": data(header.nonce),
        "sha3Uncles": data(header.ommers_hash),
        "logsBloom": data(header.bloom),
        "transactionsRoot": data(header.transactions_root),
        "stateRoot": data(header.state_root),
        "receiptsRoot": data(header.receipts_root),
        "miner": data(header.coinbase),
        "difficulty": quantity(header.difficulty),
        "extraData": data(header.extra_data),
        "gasLimit": quantity(header.gas_limit),
        "gasUsed": quantity(header.gas_used),
        "timestamp": quantity(header.timestamp),
        "baseFeePerGas": quantity(header.base_fee),
        "mixHash": data(header.mix_hash),
        "withdrawalsRoot": data(header.withdrawals_root),
        "blobGasUsed": quantity(header.blob_gas_used),
        "excessBlobGas": quantity(header.excess_blob_gas),
        "parentBeaconBlockRoot": data(header.parent_beacon_root),
        "requestsHash": data(header.requests_hash),
    }


def is_pending(ledger: Ledger, block_number: int) -> bool:
    return block_number >= len(ledger.blocks)


def _end(ledger: Ledger, block: Block) -> int:
    """Return the position after the last receipt of a block. The open block still grows."""
    return len(ledger.receipts) if is_pending(ledger, block.number) else block.end_receipt


# Transactions


def transaction_json(ledger: Ledger, receipt: Receipt, inclusion: Json | None = None) -> Json:
    """Return a transaction with its block and index. A transaction sent in process is signed when it is formatted.
    `inclusion` is its block and index, by default that in the ledger.
    """
    shown = signed_json(receipt, ledger.envelope_of(receipt), ledger.blocks.rules.chain_id)
    if inclusion is None:
        inclusion = _inclusion_fields(ledger, receipt) | _time_fields(ledger, receipt)
    if inclusion["blockHash"] is not None:
        shown["gasPrice"] = quantity(receipt.gas_price)
    return {"from": data(receipt.sender), **shown, **inclusion}


def signed_json(tx: Transaction | Receipt, raw: bytes, chain_id: int) -> Json:
    """Return the content of a transaction's envelope `raw`: its fields and its signature."""
    return {
        "type": quantity(tx.type),
        "hash": data(keccak(raw)),
        "to": None if tx.to is None else data(tx.to),
        "nonce": quantity(tx.nonce),
        "value": quantity(tx.value),
        "gas": quantity(tx.gas),
        "gasPrice": quantity(tx.max_fee),
        "input": data(tx.data),
        **_typed_fields(tx, raw, chain_id),
    }


def _typed_fields(tx: Transaction | Receipt, raw: bytes, chain_number: int) -> Json:
    """Return the fields that depend on the type of transaction, and the signature, which comes last in every type."""
    type_number = tx.type
    items: Any = rlp.decode(raw[1:] if type_number else raw)
    v, r, s = (int.from_bytes(item) for item in items[-3:])
    signature = {"v": quantity(v), "r": quantity(r), "s": quantity(s)}
    chain_id = {"chainId": quantity(chain_number)}
    if not type_number:
        return signature if v < 35 else chain_id | signature
    slots = [
        {"address": data(address), "storageKeys": [word(slot) for slot in slots]}
        for address, slots in tx.access_list
    ]
    body: Json = {**chain_id, "accessList": slots, "yParity": quantity(v), **signature}
    if type_number >= 2:
        body["maxFeePerGas"] = quantity(tx.max_fee)
        body["maxPriorityFeePerGas"] = quantity(tx.tip)
    if type_number == 3:
        body["maxFeePerBlobGas"] = quantity(int.from_bytes(items[9]))
        body["blobVersionedHashes"] = [data(item) for item in items[10]]
    if type_number == 4:
        body["authorizationList"] = [_authorization(item) for item in items[9]]
    return body


def _authorization(item: list[bytes]) -> Json:
    return {
        name: data(part) if name == "address" else quantity(int.from_bytes(part))
        for name, part in zip(AUTHORIZATION, item, strict=True)
    }


def _inclusion_fields(ledger: Ledger, receipt: Receipt) -> Json:
    number = receipt.block_number
    if is_pending(ledger, number):
        return {"blockHash": None, "blockNumber": None, "transactionIndex": None}
    return {
        "blockHash": data(ledger.block_hash(number)),
        "blockNumber": quantity(number),
        "transactionIndex": quantity(receipt.index),
    }


def _time_fields(ledger: Ledger, receipt: Receipt) -> Json:
    """Return the time of the block, which transactions and logs include but receipts do not."""
    number = receipt.block_number
    pending = is_pending(ledger, number)
    return {"blockTimestamp": None if pending else quantity(ledger.block(number).timestamp)}


# Receipts and logs


def closed_receipt_json(ledger: Ledger, tx_hash: bytes) -> Json | None:
    """Return the receipt of a transaction, or None while its block is open."""
    receipt = ledger.find(tx_hash)
    if receipt is None or is_pending(ledger, receipt.block_number):
        return None
    return receipt_json(ledger, receipt)


def receipt_json(ledger: Ledger, receipt: Receipt) -> Json:
    index, position, rows = receipt.index, receipt.position, receipt.log_rows
    before = ledger.receipts[position - index : position] if index else []
    first_log = sum([len(earlier.log_rows) for earlier in before])
    tx_hash, inclusion = (
        {"transactionHash": data(receipt.tx_hash)},
        _inclusion_fields(ledger, receipt),
    )
    shared = (
        {**tx_hash, **inclusion, **_time_fields(ledger, receipt), "removed": False} if rows else {}
    )
    body = {
        "type": quantity(receipt.type),
        "status": quantity(receipt.status),
        **tx_hash,
        **inclusion,
        "from": data(receipt.sender),
        "to": None if receipt.to is None else data(receipt.to),
        "contractAddress": data(receipt.address) if receipt.to is None else None,
        "gasUsed": quantity(receipt.gas_used),
        "cumulativeGasUsed": quantity(
            sum([earlier.gas_used for earlier in before]) + receipt.gas_used
        ),
        "effectiveGasPrice": quantity(receipt.gas_price),
        "logs": [_log_json(row, i, shared) for i, row in enumerate(rows, first_log)],
        "logsBloom": data(bloom_of(rows)),
    }
    if receipt.type == 3:
        price = ledger.block(receipt.block_number).blob_base_fee
        body["blobGasUsed"] = quantity(blob_gas_of(ledger.envelope_of(receipt)))
        body["blobGasPrice"] = quantity(price)
    return body


def log_jsons(ledger: Ledger, places: Iterable[LogPlace]) -> list[Json]:
    """Return the logs at these places, which are in order."""
    shown: list[Json] = []
    last, shared = None, {}
    for row, index, receipt in placed_logs(ledger, places):
        if receipt is not last:
            last = receipt
            shared = {
                "transactionHash": data(receipt.tx_hash),
                **_inclusion_fields(ledger, receipt),
                **_time_fields(ledger, receipt),
                "removed": False,
            }
        shown.append(_log_json(row, index, shared))
    return shown


def _log_json(row: LogRow, index: int, shared: Json) -> Json:
    """Return a log, given its index in its block and the fields that all logs of its transaction share."""
    address, topics, raw, *_ = row
    return {
        "address": data(address),
        "topics": [word(topic) for topic in topics],
        "data": data(raw),
        "logIndex": quantity(index),
        **shared,
    }


def placed_logs(
    ledger: Ledger, places: Iterable[LogPlace]
) -> Iterator[tuple[LogRow, int, Receipt]]:
    """Yield the logs at these places, each with its index in its block, and its receipt."""
    last = block = counted = -1
    first = 0
    for position, index in places:
        if position != last:
            last, receipt = position, ledger.receipts[position]
            rows = receipt.log_rows
            if receipt.block_number != block:
                block, first, counted = receipt.block_number, 0, position - receipt.index
            earlier = ledger.receipts[counted:position]
            first, counted = first + sum([len(each.log_rows) for each in earlier]), position
        yield rows[index], first + index, receipt
