"""Methods that set up a test: account state, impersonated senders, and properties of the next block.

They have the names of anvil and of hardhat, which mean the same. All of them change the chain, never the clock of the machine.
"""

from __future__ import annotations

from typing import Any

from chain.rpc.errors import bad_params, refused
from chain.rpc.hex_values import to_address, to_bytes, to_int
from chain.rpc.node import Node
from chain.rpc.open_block import rebuild_open_block
from chain.types import Address
from chain.values.inputs import EXCESS_BLOB_GAS, FEE, NONCE

# Accounts


def set_balance(node: Node, address: object, balance: object) -> bool:
    """Set the wei of an account."""
    node.chain.set_balance(_account(address), to_int(balance, "the balance"))
    return True


def add_balance(node: Node, address: object, amount: object) -> bool:
    """Give wei to an account."""
    account = _account(address)
    balance = node.chain.balance(account) + to_int(amount, "the amount")
    return set_balance(node, account, balance)


def set_nonce(node: Node, address: object, nonce: object) -> bool:
    """Set the nonce of an account."""
    node.chain.set_nonce(_account(address), parse_bounded(nonce, NONCE + 1, "the nonce"))
    return True


def set_code(node: Node, address: object, code: object) -> bool:
    """Set the code of an account."""
    node.chain.set_code(_account(address), to_bytes(code, "the code"))
    return True


def set_storage_at(node: Node, address: object, slot: object, word: object) -> bool:
    """Set a word of an account."""
    slot_number = to_int(slot, "the slot")
    node.chain.set_storage(_account(address), slot_number, to_int(word, "the word"))
    return True


def _account(address: object) -> Address:
    return Address(to_address(address))


def parse_bounded(value: object, end: int, what: str) -> int:
    """Read a quantity below `end`, a power of two."""
    number = to_int(value, what)
    if number >= end:
        raise bad_params(f"{what} is {value!r}; it has at most {end.bit_length() - 1} bits")
    return number


# Senders


def impersonate(node: Node, address: object) -> bool:
    """Let `eth_sendTransaction` send from an account without its key, even from a contract."""
    node.impersonated.add(to_address(address))
    return True


def stop_impersonating(node: Node, address: object) -> bool:
    """Let only the holder of its key send from an account again."""
    node.impersonated.discard(to_address(address))
    return True


def impersonate_all(node: Node, on: object) -> bool:
    """Set whether `eth_sendTransaction` sends from every account without its key."""
    node.impersonates_all = parse_bool(on, "whether all are impersonated")
    return True


def parse_bool(value: object, what: str) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        raise bad_params(f"{what} is true or false, not {value!r}")
    return value


# The next block


def set_prevrandao(node: Node, value: object) -> bool:
    """Set the random number of the next block."""
    _set_next(node, prevrandao=to_int(value, "prevrandao"))
    return True


def set_coinbase(node: Node, address: object) -> bool:
    """Set the address that receives the tips, from the next block on."""
    _set_next(node, coinbase=_account(address))
    return True


def set_base_fee(node: Node, fee: object) -> bool:
    """Set the base fee of the next block; later blocks continue from it."""
    _set_next(node, base_fee=parse_bounded(fee, FEE + 1, "the base fee"))
    return True


def set_excess_blob_gas(node: Node, excess: object) -> bool:
    """Set the excess blob gas of the next block, and so the price of its blobs."""
    _set_next(node, excess_blob_gas=parse_bounded(excess, EXCESS_BLOB_GAS + 1, "excess blob gas"))
    return True


def set_min_gas_price(node: Node, price: object) -> None:
    """Refuse: there is no minimum gas price other than the base fee."""
    raise refused(
        "this chain has no minimum gas price other than the base fee: set the base fee of the next block"
    )


def _set_next(node: Node, **wishes: Any) -> None:
    rebuild_open_block(node.chain, lambda: node.chain.set_next_block(**wishes))


# Fixed properties


def set_gas_limit(node: Node, limit: object) -> bool:
    """Accept only the present gas limit of the blocks, which cannot change."""
    _refuse_another(limit, node.chain.head.gas_limit, "the gas limit", "--gas-limit")
    return True


def set_chain_id(node: Node, number: object) -> None:
    """Accept only the present chain id, which cannot change."""
    _refuse_another(number, node.chain.chain_id, "the chain id", "--chain-id")


def _refuse_another(value: object, here: int, what: str, option: str) -> None:
    if to_int(value, what) != here:
        raise refused(
            f"{what} of this chain is fixed at {here}: choose it with {option} when you start a node"
        )


def set_logging(node: Node, on: object) -> bool:
    """Accept true or false, without effect: requests are never logged, and tools switch logging off at their start."""
    parse_bool(on, "whether requests are logged")
    return True


def set_rpc_url(node: Node, url: object) -> None:
    """Refuse: this chain is not a fork of another one."""
    raise refused("this chain is not a fork of another one, so it has no RPC URL to set")
