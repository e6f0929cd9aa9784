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
from chain.machine.transaction import BLOB_TYPE, Transaction
from chain.metering.watchdog import uninterrupted
from chain.rpc.errors import bad_params, refused
from chain.rpc.hex_values import to_address, to_bytes, to_hash, to_int, to_list, to_object
from chain.simulator.chain import Chain
from chain.simulator.reader import ChainReader

Fields = Mapping[str, Any]
FEES: Final = ("gasPrice", "maxFeePerGas", "maxPriorityFeePerGas")
_MARKS: Final = {
    BLOB_TYPE: "blobVersionedHashes",
    4: "authorizationList",
}  # what these types have, and no others
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
    chain: Chain, fields: Any, block: Block, there: ChainReader | None = None, *, signs: bool = True
) -> Transaction:
    """Return the transaction of a client, completed for `block` and the state of `there`, by default of the chain.

    Without `signs` it is only rehearsed, so its sender needs no key.
    """
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
    if type_number in TYPES:
        return tx
    account = chain.keys.get(sender) if signs else None
    if signs and (account is None or type_number == BLOB_TYPE):
        holder = (
            "with blobs" if type_number == BLOB_TYPE else "of type 4 from an account without a key"
        )
        raise refused(f"a transaction {holder} comes in signed")
    encoded: Transaction = _typed().encode_typed(tx, _added(fields, block), chain.chain_id, account)
    return encoded


def _added(fields: Fields, block: Block) -> list[Any]:
    """Return the fields that type 3 or 4 adds, as they are encoded."""
    if fields.get("authorizationList") is not None:
        return [
            [
                _authorization(item)
                for item in to_list(fields["authorizationList"], "authorizations")
            ]
        ]
    hashes = to_list(fields.get("blobVersionedHashes"), "'blobVersionedHashes'")
    fee = _number(fields, "maxFeePerBlobGas", block.blob_base_fee)
    return [fee, [to_hash(item, "the hash of a blob") for item in hashes]]


def _authorization(item: Any) -> list[bytes | int]:
    fields = to_object(item, "an authorization")
    return [
        to_address(fields.get(name), "what is lent") if name == "address" else to_int(fields.get(name), f"'{name}'")
        for name in AUTHORIZATION
    ]  # fmt: skip


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
    type_number = _number(fields, "type", _default_type(fields))
    if type_number not in (*TYPES, *_MARKS):
        raise bad_params(f"there is no type {type_number}: there are types 0 to 4")
    for marked_type, name in _MARKS.items():
        if (fields.get(name) is not None) != (type_number == marked_type):
            raise bad_params(f"type {marked_type}, and no other, has '{name}'")
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
    for marked_type, name in _MARKS.items():
        if fields.get(name) is not None:
            return marked_type
    return 2 if fields.get("gasPrice") is None else 0 if fields.get("accessList") is None else 1


def _access_list(items: Any) -> tuple[tuple[bytes, tuple[int, ...]], ...]:
    return tuple(map(_access, to_list(items or (), "the entries of the access list")))


def _access(item: Any) -> tuple[bytes, tuple[int, ...]]:
    fields = to_object(item, "an entry of the access list")
    keys = to_list(fields.get("storageKeys") or (), "storage keys")
    slots = (to_hash(key, "a storage key") for key in keys)
    return to_address(fields.get("address")), tuple(map(int.from_bytes, slots))
