"""Methods about accounts: balances, nonces, code, storage, proofs."""

from __future__ import annotations

from typing import Final

from chain.crypto import trie
from chain.machine.state import NO_ACCOUNT
from chain.rpc.block_tags import LATEST, require_block, state_at
from chain.rpc.errors import bad_params
from chain.rpc.hex_values import data, quantity, to_address, to_list, to_object, to_slot, word
from chain.rpc.node import Node

_MOST_SLOTS: Final = 1024  # of one request


def accounts(node: Node) -> list[str]:
    """Return the accounts whose keys the chain has, then those that are impersonated."""
    others = sorted(node.impersonated - node.chain.keys.keys())
    return [data(address) for address in (*node.chain.keys, *others)]


def get_balance(node: Node, address: object, block: object = LATEST) -> str:
    """Return the wei of an account at the end of a block."""
    reader, _ = state_at(node.chain, block)
    return quantity(reader.state.account(to_address(address))[1])


def get_transaction_count(node: Node, address: object, block: object = LATEST) -> str:
    """Return the nonce of an account at the end of a block."""
    reader, _ = state_at(node.chain, block)
    return quantity(reader.state.account(to_address(address))[0])


def get_code(node: Node, address: object, block: object = LATEST) -> str:
    """Return the code of an account at the end of a block."""
    reader, _ = state_at(node.chain, block)
    return data(reader.state.code(to_address(address)))


def get_account_info(node: Node, address: object, block: object = LATEST) -> dict[str, str]:
    """Return balance, nonce and code in one answer."""
    raw_address = to_address(address)
    reader, _ = state_at(node.chain, block)
    nonce, balance, _ = reader.state.account(raw_address)
    code = reader.state.code(raw_address)
    return {"balance": quantity(balance), "nonce": quantity(nonce), "code": data(code)}


def get_storage_at(node: Node, address: object, slot: object, block: object = LATEST) -> str:
    """Return a word of an account at the end of a block."""
    reader, _ = state_at(node.chain, block)
    return word(reader.state.word(to_address(address), to_slot(slot)))


def get_storage_values(node: Node, slots: object, block: object = LATEST) -> dict[str, list[str]]:
    """Return words of several accounts: `slots` names the accounts, and for each of them its slots."""
    asked = {
        to_address(address): [to_slot(slot) for slot in to_list(keys, "the slots")]
        for address, keys in to_object(slots, "the requested slots").items()
    }
    if not 0 < sum(map(len, asked.values())) <= _MOST_SLOTS:
        raise bad_params(f"one to {_MOST_SLOTS} slots can be requested at a time")
    state = state_at(node.chain, block)[0].state
    return {
        data(address): [word(state.word(address, slot)) for slot in keys]
        for address, keys in asked.items()
    }


def get_proof(
    node: Node, address: object, slots: object, block: object = LATEST
) -> dict[str, object]:
    """Return the nodes of the state trie that prove an account and some of its words (EIP-1186)."""
    chain, raw_address = node.chain, to_address(address)
    state_trie = chain.ledger.world(require_block(chain, block).number)
    account, storage = state_trie.lookup(raw_address)
    nonce, balance, code_hash = account or NO_ACCOUNT
    slot_numbers = [to_slot(slot) for slot in to_list(slots, "the slots")]
    return {
        "address": data(raw_address),
        "nonce": quantity(nonce),
        "balance": quantity(balance),
        "codeHash": data(code_hash),
        "storageHash": data(trie.root(storage if account else None)),
        "accountProof": [data(item) for item in state_trie.prove_account(raw_address)],
        "storageProof": [
            {
                "key": quantity(slot_number),
                "value": quantity(state_trie.word(raw_address, slot_number)),
                "proof": [data(item) for item in state_trie.prove_word(raw_address, slot_number)],
            }
            for slot_number in slot_numbers
        ],
    }
