"""Transactions as clients write them: JSON that leaves out most of it, or signed bytes.

What the JSON does not say is filled in from the block it will run in: the next nonce, all the gas there is, a fee that will
do for some blocks to come. Who does not say who they are is the first account.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from chain.ledger.signing import (
    TYPES,
    decode_signed,
    tx_type,
)
from chain.machine.transaction import Transaction
from chain.metering.watchdog import uninterrupted
from chain.rpc.errors import bad_params, refused
from chain.rpc.hex_values import (
    to_address,
    to_bytes,
    to_hash,
    to_int,
    to_list,
    to_object,
)

if TYPE_CHECKING:
    from chain.ledger.blocks import Block
    from chain.simulator.chain import Chain
    from chain.simulator.reader import ChainReader

Fields = Mapping[str, Any]
FEES: Final = ("gasPrice", "maxFeePerGas", "maxPriorityFeePerGas")
_SIGNED_ONLY: Final = ("blobVersionedHashes", "blobs")
_SET_CODE: Final = 4
AUTHORIZATION: Final = ("chainId", "address", "nonce", "yParity", "r", "s")


def parse_signed(chain: Chain, raw: bytes) -> Transaction:
    """The transaction in signed bytes, of any type."""
    if tx_type(raw) in TYPES:
        return decode_signed(raw, chain.chain_id)
    tx: Transaction = _typed().decode_raw(raw, chain.chain_id)
    return tx


def _typed() -> Any:
    """Transactions of newer types, by py-evm, which is imported when the first comes."""
    with uninterrupted():
        return import_module("chain.rpc.typed_transactions")


def parse_fields(
    chain: Chain, fields: Any, block: Block, there: ChainReader | None = None
) -> Transaction:
    """A transaction as a client writes it, completed for `block` and for the chain as it is `there`."""
    fields = to_object(fields, "the transaction")
    room = block.gas_limit - (block.gas_used if block is chain.ledger.open else 0)
    sender = (
        to_address(fields["from"], "'from'") if fields.get("from") else bytes(chain.accounts[0])
    )
    to = to_address(fields["to"], "'to'") if fields.get("to") else None
    chain_id = _number(fields, "chainId", chain.chain_id)
    if chain_id != chain.chain_id:
        raise refused(f"it is meant for chain {chain_id}, this is chain {chain.chain_id}")
    kind, max_fee, tip = _fees(fields, block.base_fee)
    tx = Transaction(
        sender, to, _input(fields), _number(fields, "value", 0),
        _number(fields, "gas", room),
        _number(fields, "nonce", (there or chain).state.account(sender)[0]),
        max_fee, tip, kind, _access_list(fields.get("accessList")),
    )  # fmt: skip
    return _set_code(chain, tx, fields["authorizationList"]) if kind == _SET_CODE else tx


def _set_code(chain: Chain, tx: Transaction, lent: Any) -> Transaction:
    """A transaction that lends code to accounts: it runs as py-evm reads it, so it is signed at once."""
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
    made: Transaction = _typed().seal_set_code(tx, authorizations, chain.chain_id, account)
    return made


def _number(fields: Fields, name: str, default: int) -> int:
    value = fields.get(name)
    return default if value is None else to_int(value, f"'{name}'")


def _input(fields: Fields) -> bytes:
    """The bytes of the call, by their new name or their old one."""
    written = [
        to_bytes(fields[name], f"'{name}'") for name in ("input", "data") if fields.get(name)
    ]
    if len(set(written)) > 1:
        raise bad_params("'input' and 'data' are the same thing, and these differ")
    return written[0] if written else b""


def _fees(fields: Fields, base_fee: int) -> tuple[int, int, int]:
    """The type, the most it pays for a unit of gas, and the tip in that."""
    named = [name for name in FEES if fields.get(name) is not None]
    price = fields.get("gasPrice")
    if price is not None and len(named) > 1:
        raise bad_params("say 'gasPrice', or 'maxFeePerGas' and 'maxPriorityFeePerGas', not both")
    lends = fields.get("authorizationList") is not None
    guess = (
        _SET_CODE if lends else 2 if price is None else 0 if fields.get("accessList") is None else 1
    )
    kind = _number(fields, "type", guess)
    if kind not in (*TYPES, _SET_CODE) or any(fields.get(name) for name in _SIGNED_ONLY):
        raise bad_params("only types 0, 1, 2 and 4 are signed here; send any other one signed")
    if lends != (kind == _SET_CODE):
        raise bad_params("type 4, and no other, has an 'authorizationList'")
    if (named and (price is None) != (kind >= 2)) or (kind == 0 and fields.get("accessList")):
        raise bad_params(f"a transaction of type {kind} has no {', '.join(named) or 'accessList'}")
    if kind < 2:
        fee = _number(fields, "gasPrice", base_fee)
        return kind, fee, fee
    tip = _number(fields, "maxPriorityFeePerGas", 0)
    return kind, _number(fields, "maxFeePerGas", 2 * base_fee + tip), tip


def _access_list(items: Any) -> tuple[tuple[bytes, tuple[int, ...]], ...]:
    return tuple(map(_access, to_list(items or (), "the entries of the access list")))


def _access(item: Any) -> tuple[bytes, tuple[int, ...]]:
    fields = to_object(item, "an entry of the access list")
    keys = to_list(fields.get("storageKeys") or (), "storage keys")
    slots = (to_hash(key, "a storage key") for key in keys)
    return to_address(fields.get("address")), tuple(map(int.from_bytes, slots))
