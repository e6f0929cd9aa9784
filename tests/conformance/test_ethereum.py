"""Ethereum's own state tests: a signed transaction comes in as from a client, and state root and logs are as specified.

`--vectors` names a folder with more of them in `ethereum/`; the few here cover every refusal and every change of Osaka.
"""

from __future__ import annotations

import re
from typing import Any, Final

import pytest

from chain import Chain
from chain.crypto import rlp
from chain.crypto.hashing import keccak
from chain.rpc.errors import RpcError
from chain.values.inputs import GAS

Record = dict[str, Any]

# What is told to a sender whose transaction the specification refuses, by its name for the reason.
REFUSALS: Final = {
    "GASLIMIT_PRICE_PRODUCT_OVERFLOW": "insufficient funds for gas * price + value",
    "GAS_ALLOWANCE_EXCEEDED": "gas limit reached",
    "GAS_LIMIT_EXCEEDS_MAXIMUM": "transaction gas limit too high",
    "INITCODE_SIZE_EXCEEDED": "max initcode size exceeded",
    "INSUFFICIENT_ACCOUNT_FUNDS": "insufficient funds for gas * price + value",
    "INSUFFICIENT_MAX_FEE_PER_BLOB_GAS": "max fee per blob gas less than block blob gas fee",
    "INSUFFICIENT_MAX_FEE_PER_GAS": "max fee per gas less than block base fee",
    "INTRINSIC_GAS_BELOW_FLOOR_GAS_COST": "intrinsic gas too low",
    "INTRINSIC_GAS_TOO_LOW": "intrinsic gas too low",
    "NONCE_IS_MAX": "nonce has max value",
    "PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS": "max priority fee per gas higher than max fee per gas",
    "SENDER_NOT_EOA": "sender not an eoa",
    "TYPE_3_TX_BLOB_COUNT_EXCEEDED": "blob transaction has too many blobs",
    "TYPE_3_TX_CONTRACT_CREATION": "blob transaction of type create",
    "TYPE_3_TX_INVALID_BLOB_VERSIONED_HASH": "invalid hash version",
    "TYPE_3_TX_MAX_BLOB_GAS_ALLOWANCE_EXCEEDED": "blobs are too many",
    "TYPE_3_TX_ZERO_BLOBS": "blob transaction missing blob hashes",
    "TYPE_4_EMPTY_AUTHORIZATION_LIST": "EIP-7702 transaction with empty auth list",
    "TYPE_4_TX_CONTRACT_CREATION": "EIP-7702 transaction cannot be used to create contract",
}


def number(text: str) -> int:
    return int(text, 16)


def chain_of(record: Record, fork: str) -> Chain:
    """Return a chain whose next block is that of the test, with its accounts and no others."""
    env = record["env"]
    chain = Chain(
        fork=fork.lower(),
        chain_id=number(record["config"]["chainid"]),
        genesis_time=0,
        gas_limit=min(number(env["currentGasLimit"]), GAS),
        tx_gas_cap=True,
    )
    for account in chain.accounts:
        chain.set_balance(account, 0)
    for address, account in record["pre"].items():
        chain.set_balance(address, number(account["balance"]))
        chain.set_nonce(address, number(account["nonce"]))
        chain.set_code(address, bytes.fromhex(account["code"][2:]))
        for slot, word in account["storage"].items():
            chain.set_storage(address, number(slot), number(word))
    chain.set_time(number(env["currentTimestamp"]))
    chain.set_next_block(
        prevrandao=number(env["currentRandom"]),
        base_fee=number(env["currentBaseFee"]),
        coinbase=env["currentCoinbase"],
        excess_blob_gas=number(env["currentExcessBlobGas"]),
    )
    return chain


def logs_hash(chain: Chain) -> bytes:
    rows = chain.receipts[-1].log_rows
    logs = [
        (address, [topic.to_bytes(32) for topic in topics], raw)
        for address, topics, raw, *_ in rows
    ]
    return keccak(rlp.encode(logs))


@pytest.mark.records("ethereum", "env", "pre", "post")
def test_a_transaction_does_as_specified(record: Record) -> None:
    ((fork, (post,)),) = record["post"].items()
    chain = chain_of(record, fork)
    exceptions = post.get("expectException")
    if exceptions is not None:
        words = [REFUSALS[name.partition(".")[2]] for name in exceptions.split("|")]
        with pytest.raises(RpcError, match="|".join(map(re.escape, words))):
            chain.node.request("eth_sendRawTransaction", [post["txbytes"]])
        return
    chain.node.request("eth_sendRawTransaction", [post["txbytes"]])
    block = chain.node.request("eth_getBlockByNumber", ["latest", False])
    assert block["stateRoot"] == post["hash"]
    assert f"0x{logs_hash(chain).hex()}" == post["logs"]
