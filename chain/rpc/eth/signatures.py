"""Methods that sign messages with a key the chain has."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

from chain.crypto.accounts import Account
from chain.crypto.hashing import keccak
from chain.crypto.signatures import curve
from chain.rpc.errors import bad_params, refused
from chain.rpc.hex_values import data, to_address, to_bytes
from chain.rpc.node import Node
from chain.rpc.typed_data import require_fit
from chain.values.nesting import shallow


def signing_account(node: Node, address: bytes) -> Account:
    """Return the account at an address, or refuse if the chain does not have its key."""
    account = node.chain.keys.get(address)
    if account is None:
        raise refused(f"unknown account {data(address)}: the chain has no key to sign with")
    return account


def sign(node: Node, address: object, message: object) -> str:
    """Sign a message as wallets do (EIP-191), and return r, s and v."""
    body = to_bytes(message, "the message")
    return _sign(node, address, b"\x19Ethereum Signed Message:\n%d%b" % (len(body), body))


def personal_sign(node: Node, message: object, address: object) -> str:
    """Sign like `eth_sign`, with the parameters in the other order, as wallets send them."""
    return sign(node, address, message)


def sign_typed_data(node: Node, address: object, typed: object) -> str:
    """Sign a typed structure as wallets do (EIP-712)."""
    try:
        content: Any = json.loads(shallow(typed)) if isinstance(typed, str) else typed
        message = import_module("eth_account.messages").encode_typed_data(full_message=content)
        require_fit(content["types"], content["primaryType"], content["message"], "message")
    except Exception as error:  # bad data can raise any exception
        raise bad_params(f"this is not typed data: {error}") from error
    return _sign(node, address, b"\x19" + message.version + message.header + message.body)


def _sign(node: Node, address: object, message: bytes) -> str:
    account = signing_account(node, to_address(address))
    signature = curve().sign(account.key, keccak(message))
    return data(signature[:64] + bytes((signature[64] + 27,)))
