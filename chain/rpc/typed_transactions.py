"""Signed transactions of type 3 (blobs) and type 4 (set code). py-evm decodes them, so importing this module imports py-evm."""

from __future__ import annotations

from typing import Any, Final

from eth_keys.exceptions import BadSignature
from eth_utils.exceptions import ValidationError
from rlp.exceptions import RLPException

from chain.crypto import rlp
from chain.crypto.accounts import Account
from chain.crypto.hashing import keccak
from chain.errors import InvalidTransaction
from chain.ledger.signing import sign, wrong_chain
from chain.machine.evm.forks import decode_transaction
from chain.machine.transaction import Transaction

TYPES: Final = (3, 4)
_BLOBS = TYPES[0]


def decode_raw(raw: bytes, chain_id: int) -> Transaction:
    """Return the transaction in a signed envelope of type 3 or 4."""
    type_number = raw[0]
    if type_number not in TYPES:
        raise InvalidTransaction(
            f"transaction type not supported: none begins with 0x{type_number:02x}; there are types 0 to 4"
        )
    try:
        if type_number == _BLOBS:
            raw = _without_blobs(raw)
        signed: Any = decode_transaction(raw)
        sender = signed.sender
    except (rlp.BadRlp, RLPException, ValidationError, BadSignature) as error:
        raise InvalidTransaction(
            f"these bytes are not a transaction of type {type_number}: {error}"
        ) from None
    if signed.chain_id != chain_id:
        raise wrong_chain(signed.chain_id, chain_id)
    access_list = tuple((address, tuple(slots)) for address, slots in signed.access_list)
    return Transaction(
        sender, signed.to or None, signed.data, signed.value, signed.gas, signed.nonce,
        signed.max_fee_per_gas, signed.max_priority_fee_per_gas, type_number, access_list, signed, raw,
    )  # fmt: skip


def encode_typed(
    tx: Transaction, added: list[object], chain_id: int, account: Account | None
) -> Transaction:
    """Return a transaction of type 3 or 4, whose type adds these fields, with its bytes.

    It is signed by `account`; without one, its signature is zero, which is enough for a simulation.
    """
    slots = [(address, [slot.to_bytes(32) for slot in slots]) for address, slots in tx.access_list]
    fields: list[Any] = [
        chain_id, tx.nonce, tx.tip, tx.max_fee, tx.gas, tx.to or b"", tx.value, tx.data, slots, *added,
    ]  # fmt: skip
    type_byte = bytes((tx.type,))
    if account is None:
        raw = type_byte + rlp.encode([*fields, 0, 0, 0])
        return tx._replace(raw=raw, signed=decode_transaction(raw))
    signed = sign(account.key, keccak(type_byte + rlp.encode(fields)))
    r, s = int.from_bytes(signed[:32]), int.from_bytes(signed[32:64])
    return decode_raw(type_byte + rlp.encode([*fields, signed[64], r, s]), chain_id)


def _without_blobs(raw: bytes) -> bytes:
    """Return the envelope without its blobs: on the network they follow the transaction, but they are not part of it."""
    items = rlp.decode(raw[1:])
    tx_items = items[0] if items and isinstance(items[0], list) else items
    return raw[:1] + rlp.encode(tx_items)
