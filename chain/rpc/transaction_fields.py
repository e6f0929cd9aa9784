"""Transactions as clients write them: JSON that leaves out most fields, or signed bytes.

Missing fields are filled in from the block in which the transaction will run: the next nonce, all the gas that is left, a fee
that is high enough for some blocks to come. The default sender is the first account.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

from chain.ledger.blocks import Block
from chain.ledger.signing import TYPES, decode_signed, tx_type
from chain.machine.transaction import Transaction
from chain.metering.watchdog import uninterrupted
from chain.rpc.errors import bad_params, refused
from chain.rpc.hex_values import to_address, to_bytes, to_hash, to_int, to_list, to_object
from chain.simulator.chain import Chain
from chain.simulator.reader import ChainReader

Fields = Mapping[str, Any]
FEES: Final = ("gasPrice", "maxFeePerGas", "maxPriorityFeePerGas")
_SIGNED_ONLY: Final = ("blobVersionedHashes", "blobs")
_SET_CODE: Final = 4
AUTHORIZATION: Final = ("chainId", "address", "nonce", "yParity", "r", "s")


def parse_signed(chain: Chain, raw: bytes) -> Transaction:
    """Return the transaction in signed bytes, of any type."""
    if tx_type(raw) in TYPES:
        return decode_signed(raw, chain.chain_id)
    tx: Transaction = _typed().decode_raw(raw, chain.chain_id)
    return tx


def _typed() -> Any:
    """Return the module for newer transaction types. It imports py-evm, so it is loaded on first use."""
    with uninterrupted():
        return import_module("chain.rpc.typed_transactions")


def parse_fields(
    chain: Chain, fields: Any, block: Block, there: ChainReader | None = None
) -> Transaction:
    """Return the transaction of a client, completed for `block` and the state of `there`, by default of the chain."""
    fields = to_object(fields, "the transaction")
    room = block.gas_left if block is chain.ledger.open else block.max_transaction_gas
    sender = (
        to_address(fields["from"], "'from'") if fields.get("from") else bytes(chain.accounts[0])
    )
    to = to_address(fields["to"], "'to'") if fields.get("to") else None
    chain_id = _number(fields, "chainId", chain.chain_id)
    if chain_id != chain.chain_id:
        raise refused(
            f"chainId does not match node's: it is meant for chain {chain_id}, this is chain {chain.chain_id}"
        )
    type_number, max_fee, tip = _fees(fields, block.base_fee)
    tx = Transaction(
        sender, to, _input(fields), _number(fields, "value", 0),
        _number(fields, "gas", room, 64),
        _number(fields, "nonce", (there or chain).state.account(sender)[0], 64),
        max_fee, tip, type_number, _access_list(fields.get("accessList")),
    )  # fmt: skip
    return _set_code(chain, tx, fields["authorizationList"]) if type_number == _SET_CODE else tx


def _set_code(chain: Chain, tx: Transaction, lent: Any) -> Transaction:
    """Return a signed transaction that lends code to accounts. py-evm reads it, so it must be signed now."""
    account = chain.keys.get(tx.sender)
    if account is None:
        raise refused("a transaction of type 4 from an account without a key comes in signed")
    fields = [to_object(item, "an authorization") for item in to_list(lent, "authorizations")]
    authorizations = [
        [
            to_address(item.get("address"), "what is lent") if name == "address" else to_int(item.get(name), f"'{name}'")
            for name in AUTHORIZATION
        ]
        for item in fields
    ]  # fmt: skip
    signed: Transaction = _typed().encode_set_code(tx, authorizations, chain.chain_id, account)
    return signed


def _number(fields: Fields, name: str, default: int, bits: int = 256) -> int:
    value = fields.get(name)
    return default if value is None else to_int(value, f"'{name}'", bits)


def _input(fields: Fields) -> bytes:
    """Return the calldata, given as `input` or under its old name `data`."""
    payloads = [
        to_bytes(fields[name], f"'{name}'") for name in ("input", "data") if fields.get(name)
    ]
    if len(set(payloads)) > 1:
        raise bad_params("'input' and 'data' are the same thing, and these differ")
    return payloads[0] if payloads else b""


def _fees(fields: Fields, base_fee: int) -> tuple[int, int, int]:
    """Return the type, the highest fee per unit of gas, and the tip within it."""
    named = [name for name in FEES if fields.get(name) is not None]
    price = fields.get("gasPrice")
    if price is not None and len(named) > 1:
        raise bad_params("say 'gasPrice', or 'maxFeePerGas' and 'maxPriorityFeePerGas', not both")
    lends = fields.get("authorizationList") is not None
    default_type = (
        _SET_CODE if lends else 2 if price is None else 0 if fields.get("accessList") is None else 1
    )
    type_number = _number(fields, "type", default_type)
    if type_number not in (*TYPES, _SET_CODE) or any(fields.get(name) for name in _SIGNED_ONLY):
        raise bad_params("only types 0, 1, 2 and 4 are signed here; send any other one signed")
    if lends != (type_number == _SET_CODE):
        raise bad_params("type 4, and no other, has an 'authorizationList'")
    if (named and (price is None) != (type_number >= 2)) or (
        type_number == 0 and fields.get("accessList")
    ):
        raise bad_params(
            f"a transaction of type {type_number} has no {', '.join(named) or 'accessList'}"
        )
    if type_number < 2:
        fee = _number(fields, "gasPrice", base_fee)
        return type_number, fee, fee
    tip = _number(fields, "maxPriorityFeePerGas", 0)
    return type_number, _number(fields, "maxFeePerGas", 2 * base_fee + tip), tip


def _access_list(items: Any) -> tuple[tuple[bytes, tuple[int, ...]], ...]:
    return tuple(map(_access, to_list(items or (), "the entries of the access list")))


def _access(item: Any) -> tuple[bytes, tuple[int, ...]]:
    fields = to_object(item, "an entry of the access list")
    keys = to_list(fields.get("storageKeys") or (), "storage keys")
    slots = (to_hash(key, "a storage key") for key in keys)
    return to_address(fields.get("address")), tuple(map(int.from_bytes, slots))
