"""Methods that say who answers here, and those that sign with a key the chain has."""

from __future__ import annotations

import json
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from coincurve import PrivateKey

from chain.crypto.hashing import keccak
from chain.rpc.errors import bad_params, refused
from chain.rpc.hex_values import (
    data,
    quantity,
    to_address,
    to_bytes,
)

if TYPE_CHECKING:
    from chain.accounts import Account
    from chain.rpc.node import Node


def client_version(node: Node) -> str:
    try:
        return f"boardchain/{version('boardchain')}"
    except PackageNotFoundError:  # it runs from its source
        return "boardchain"


def node_info(node: Node) -> dict[str, Any]:
    """Where the chain stands, as anvil tells it."""
    head, chain = node.chain.head, node.chain
    return {
        "currentBlockNumber": quantity(head.number),
        "currentBlockTimestamp": head.timestamp,
        "currentBlockHash": data(chain.block_hash()),
        "hardFork": "prague",
        "transactionOrder": "fifo",
        "environment": {
            "baseFee": quantity(chain.pending.base_fee),
            "chainId": chain.chain_id,
            "gasLimit": quantity(head.gas_limit),
            "gasPrice": quantity(chain.pending.base_fee),
        },
        "forkConfig": {"forkUrl": None, "forkBlockNumber": None, "forkRetryBackoff": None},
    }


def metadata(node: Node) -> dict[str, Any]:
    """Who answers, as hardhat tells it."""
    chain = node.chain
    return {
        "clientVersion": client_version(node),
        "chainId": chain.chain_id,
        "instanceId": data(chain.block_hash(0)),
        "latestBlockNumber": chain.head.number,
        "latestBlockHash": data(chain.block_hash()),
        "forkedNetwork": None,
    }


def chain_id(node: Node) -> str:
    return quantity(node.chain.chain_id)


def network(node: Node) -> str:
    return str(node.chain.chain_id)


def always_true(node: Node) -> bool:
    return True


def always_false(node: Node) -> bool:
    return False


def always_zero(node: Node) -> str:
    return "0x0"


def always_one(node: Node) -> str:
    return "0x1"


def protocol_version(node: Node) -> str:
    """The newest protocol that nodes of the Prague fork speak among themselves; this one has no others."""
    return "0x44"


def is_mining(node: Node) -> bool:
    """Whether blocks come without anyone asking for them."""
    return node.chain.automine or node.interval > 0


def coinbase(node: Node) -> str:
    """Who gets the tips of the next block."""
    return data(node.chain.pending.coinbase)


def sha3(node: Node, raw: Any) -> str:
    return data(keccak(to_bytes(raw, "what is to be hashed")))


def signing_account(node: Node, address: bytes) -> Account:
    """The account at an address, if the chain has its key."""
    account = node.chain.keys.get(address)
    if account is None:
        raise refused(f"unknown account {data(address)}: the chain has no key to sign with")
    return account


def sign(node: Node, address: Any, message: Any) -> str:
    """A message signed as wallets do it (EIP-191): r, s and v."""
    body = to_bytes(message, "the message")
    return _sign(node, address, b"\x19Ethereum Signed Message:\n%d%b" % (len(body), body))


def personal_sign(node: Node, message: Any, address: Any) -> str:
    """`eth_sign` as wallets have it: the other way round."""
    return sign(node, address, message)


def sign_typed_data(node: Node, address: Any, typed: Any) -> str:
    """A structure signed as wallets do it (EIP-712)."""
    try:
        content = json.loads(typed) if isinstance(typed, str) else typed
        message = import_module("eth_account.messages").encode_typed_data(full_message=content)
    except Exception as wrong:  # it fails in as many ways as data can be wrong
        raise bad_params(f"this is no typed data: {wrong}") from wrong
    return _sign(node, address, b"\x19" + message.version + message.header + message.body)


def _sign(node: Node, address: Any, message: bytes) -> str:
    account = signing_account(node, to_address(address))
    signature = PrivateKey(account.key).sign_recoverable(keccak(message), hasher=None)
    return data(signature[:64] + bytes((signature[64] + 27,)))
