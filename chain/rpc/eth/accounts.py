"""Methods about accounts: balances, nonces, code, storage, proofs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chain.crypto import trie
from chain.machine.state import NO_ACCOUNT
from chain.rpc.block_tags import (
    LATEST,
    require_block,
    state_at,
)
from chain.rpc.errors import refused
from chain.rpc.hex_values import (
    data,
    quantity,
    to_address,
    to_int,
    to_list,
    word,
)
from chain.rpc.json_format import is_pending

if TYPE_CHECKING:
    from chain.rpc.node import Node


def accounts(node: Node) -> list[str]:
    """Whose key the chain has: the ten, and those that were given a name; and whoever is impersonated."""
    others = sorted(node.impersonated - node.chain.keys.keys())
    return [data(address) for address in (*node.chain.keys, *others)]


def get_balance(node: Node, address: Any, block: Any = LATEST) -> str:
    there, _ = state_at(node.chain, block)
    return quantity(there.state.account(to_address(address))[1])


def get_transaction_count(node: Node, address: Any, block: Any = LATEST) -> str:
    there, _ = state_at(node.chain, block)
    return quantity(there.state.account(to_address(address))[0])


def get_code(node: Node, address: Any, block: Any = LATEST) -> str:
    there, _ = state_at(node.chain, block)
    return data(there.state.code(to_address(address)))


def get_account_info(node: Node, address: Any, block: Any = LATEST) -> dict[str, str]:
    """Balance, number and code in one answer."""
    who = to_address(address)
    there, _ = state_at(node.chain, block)
    nonce, balance, _ = there.state.account(who)
    code = there.state.code(who)
    return {"balance": quantity(balance), "nonce": quantity(nonce), "code": data(code)}


def get_storage_at(node: Node, address: Any, slot: Any, block: Any = LATEST) -> str:
    there, _ = state_at(node.chain, block)
    return word(there.state.word(to_address(address), to_int(slot, "the slot")))


def get_proof(node: Node, address: Any, slots: Any, block: Any = LATEST) -> dict[str, Any]:
    """The nodes of the state trie that show an account and some of its words (EIP-1186)."""
    chain, who = node.chain, to_address(address)
    number = require_block(chain, block).number
    if is_pending(chain.ledger, number):
        raise refused("nothing in the pending block can be proved: it has no state root yet")
    world = chain.ledger.world(number)
    account, storage = world.lookup(who)
    nonce, balance, code_hash = account or NO_ACCOUNT
    places = [to_int(slot, "a slot") for slot in to_list(slots, "the slots")]
    there, _ = state_at(chain, block)
    values = [there.state.word(who, place) for place in places]
    return {
        "address": data(who),
        "nonce": quantity(nonce),
        "balance": quantity(balance),
        "codeHash": data(code_hash),
        "storageHash": data(trie.root(storage if account else None)),
        "accountProof": [data(item) for item in world.prove_account(who)],
        "storageProof": [
            {
                "key": quantity(place),
                "value": quantity(value),
                "proof": [data(item) for item in world.prove_word(who, place)],
            }
            for place, value in zip(places, values, strict=True)
        ],
    }
