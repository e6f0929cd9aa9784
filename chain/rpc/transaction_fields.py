"""Transactions as clients write them: JSON that leaves out most fields, or signed bytes.

Missing fields are filled in from the block in which the transaction will run: the next nonce, all the gas that is left, a fee
that is high enough for some more blocks. The default sender is the first account.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

from chain.foundation.watchdog import uninterrupted
from chain.ledger.blocks import Block
from chain.ledger.signing import TYPES, decode_signed, tx_type
from chain.machine.transaction import BLOB_TYPE, NO_CREATION, SET_CODE_TYPE, Transaction
from chain.rpc.errors import bad_params, refused
from chain.rpc.hex_values import (
    known_fields,
    to_address,
    to_bytes,
    to_hash,
    to_int,
    to_list,
    to_object,
)
from chain.simulator.chain import Chain
from chain.simulator.driver import DEFAULT_SENDER
from chain.simulator.reader import ChainReader

Fields = Mapping[str, object]
FEES: Final = ("gasPrice", "maxFeePerGas", "maxPriorityFeePerGas")
_FIELDS: Final = (
    "type", "from", "to", "gas", "value", "input", "data", "nonce", "chainId", *FEES, "accessList", "authorizationList",
    "maxFeePerBlobGas", "blobVersionedHashes",
)  # fmt: skip
_OWNERS: Final = {"authorizationList": SET_CODE_TYPE, "blobVersionedHashes": BLOB_TYPE}
_FEE_FIELDS: Final = frozenset({"type", *FEES, *_OWNERS, "maxFeePerBlobGas"})
AUTHORIZATION: Final = ("chainId", "address", "nonce", "yParity", "r", "s")


def parse_signed(chain: Chain, raw: bytes) -> Transaction:
    """Return the transaction in signed bytes, of any type."""
    if tx_type(raw) in TYPES:
        return decode_signed(raw, chain.chain_id)
    tx: Transaction = _typed().decode_raw(raw, chain.chain_id)
    return tx


def _typed() -> Any:
    """Return the module for newer transaction types. It imports py-evm, so it is loaded on first use."""
    return uninterrupted(import_module, "chain.rpc.typed_transactions")


def parse_fields(
    chain: Chain,
    fields: object,
    block: Block,
    there: ChainReader | None = None,
    *,
    signs: bool = True,
) -> Transaction:
    """Return the transaction of a client, completed for `block` and the state of `there`, by default of the chain.

    Without `signs` it is only simulated, so its sender needs no key.
    """
    fields = known_fields(fields, _FIELDS, "the transaction")
    room = block.gas_left if block is chain.ledger.open else block.max_transaction_gas
    sender = _sender(fields)
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
    return tx if type_number in TYPES else _typed_fields(chain, tx, fields, signs)


def parse_message(fields: Fields) -> tuple[bytes, bytes, bytes, int]:
    """Return the sender, the target, the calldata and the value of a transaction that has a target."""
    sender, to = _sender(fields), to_address(fields["to"], "'to'")
    return sender, to, _input(fields), _number(fields, "value", 0)


def _sender(fields: Fields) -> bytes:
    return to_address(fields["from"], "'from'") if fields.get("from") else DEFAULT_SENDER


def _typed_fields(chain: Chain, tx: Transaction, fields: Fields, signs: bool) -> Transaction:
    """Return a transaction with blobs, or one that lends code to accounts. py-evm reads it, so it is encoded now."""
    account = chain.keys.get(tx.sender) if signs else None
    if signs and (account is None or tx.type == BLOB_TYPE):
        what = "with blobs" if tx.type == BLOB_TYPE else "of type 4 from an account without a key"
        raise refused(f"a transaction {what} must be signed")
    if tx.type == BLOB_TYPE:
        hashes = to_list(fields.get("blobVersionedHashes") or (), "'blobVersionedHashes'")
        fee = _number(fields, "maxFeePerBlobGas", 0)
        added: list[object] = [fee, [to_hash(item, "a hash of a blob") for item in hashes]]
    else:
        authorizations = to_list(fields["authorizationList"], "authorizations")
        added = [[_authorization(item) for item in authorizations]]
    if tx.to is None:
        raise refused(NO_CREATION[tx.type])
    encoded: Transaction = _typed().encode_typed(tx, added, chain.chain_id, account)
    return encoded


def _authorization(item: object) -> list[bytes | int]:
    fields = to_object(item, "an authorization")
    return [
        to_address(fields.get(name), "the authorization list") if name == "address" else to_int(fields.get(name), f"'{name}'")
        for name in AUTHORIZATION
    ]  # fmt: skip


def _number(fields: Fields, name: str, default: int, bits: int = 256) -> int:
    value = fields.get(name)
    return default if value is None else to_int(value, f"'{name}'", bits)


def _input(fields: Fields) -> bytes:
    """Return the calldata, given as `input` or under its old name `data`."""
    new, old = fields.get("input"), fields.get("data")
    calldata = to_bytes(new, "'input'") if new else b""
    if not old:
        return calldata
    old_calldata = to_bytes(old, "'data'")
    if new and calldata != old_calldata:
        raise bad_params("'input' and 'data' mean the same, and these differ")
    return old_calldata


def _fees(fields: Fields, base_fee: int) -> tuple[int, int, int]:
    """Return the type, the highest fee per unit of gas, and the tip within it."""
    if _FEE_FIELDS.isdisjoint(fields):  # as in most calls
        return 2, 2 * base_fee, 0
    named = [name for name in FEES if fields.get(name) is not None]
    price = fields.get("gasPrice")
    if price is not None and len(named) > 1:
        raise bad_params("use 'gasPrice', or 'maxFeePerGas' and 'maxPriorityFeePerGas', not both")
    type_number = _number(fields, "type", _default_type(fields))
    if type_number not in (*TYPES, BLOB_TYPE, SET_CODE_TYPE):
        raise bad_params(f"there is no type {type_number} of transactions: there are types 0 to 4")
    for name, owner in _OWNERS.items():
        if (type_number == owner) != (fields.get(name) is not None):
            raise bad_params(f"only type {owner} has '{name}'")
    if type_number != BLOB_TYPE and _number(fields, "maxFeePerBlobGas", 0):
        raise bad_params("only a transaction with blobs has 'maxFeePerBlobGas'")
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


def _default_type(fields: Fields) -> int:
    for name, owner in _OWNERS.items():
        if fields.get(name) is not None:
            return owner
    if fields.get("gasPrice") is None:
        return 2
    return 0 if fields.get("accessList") is None else 1


def _access_list(items: object) -> tuple[tuple[bytes, tuple[int, ...]], ...]:
    return tuple(map(_access, to_list(items, "the entries of the access list"))) if items else ()


def _access(item: object) -> tuple[bytes, tuple[int, ...]]:
    fields = to_object(item, "an entry of the access list")
    keys = to_list(fields.get("storageKeys") or (), "storage keys")
    slots = (to_hash(key, "a storage key") for key in keys)
    return to_address(fields.get("address")), tuple(map(int.from_bytes, slots))
