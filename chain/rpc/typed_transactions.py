"""Signed transactions of types 3 and 4, which carry blobs or lend code: py-evm reads them, and so it is imported with this."""

from __future__ import annotations

from typing import Any, Final

from eth.vm.forks.prague.transactions import PragueTransactionBuilder
from eth_keys.exceptions import BadSignature
from eth_utils.exceptions import ValidationError
from rlp.exceptions import RLPException

from chain.accounts import Account
from chain.crypto import rlp
from chain.crypto.hashing import keccak
from chain.errors import InvalidTransaction
from chain.ledger.signing import sign
from chain.machine.transaction import Transaction

TYPES: Final = (3, 4)
_BLOBS, _SET_CODE = TYPES


def decode_raw(raw: bytes, chain_id: int) -> Transaction:
    """The transaction in a signed envelope of type 3 or 4."""
    kind = raw[0]
    if kind not in TYPES:
        raise InvalidTransaction(f"no transaction begins with 0x{kind:02x}: there are types 0 to 4")
    try:
        if kind == _BLOBS:
            raw = _without_blobs(raw)
        signed: Any = PragueTransactionBuilder().decode(raw)
        sender = signed.sender
    except (rlp.BadRlp, RLPException, ValidationError, BadSignature) as no:
        raise InvalidTransaction(f"these bytes are no transaction of type {kind}: {no}") from None
    if signed.chain_id != chain_id:
        raise InvalidTransaction(
            f"it is signed for chain {signed.chain_id}, this is chain {chain_id}"
        )
    access_list = tuple((address, tuple(slots)) for address, slots in signed.access_list)
    return Transaction(
        sender, signed.to or None, signed.data, signed.value, signed.gas, signed.nonce,
        signed.max_fee_per_gas, signed.max_priority_fee_per_gas, kind, access_list, signed, raw,
    )  # fmt: skip


def seal_set_code(
    tx: Transaction, authorizations: list[list[Any]], chain_id: int, account: Account
) -> Transaction:
    """A transaction of type 4, signed."""
    slots = [(address, [slot.to_bytes(32) for slot in slots]) for address, slots in tx.access_list]
    fields: list[Any] = [
        chain_id, tx.nonce, tx.tip, tx.max_fee, tx.gas, tx.to or b"", tx.value, tx.data, slots, authorizations,
    ]  # fmt: skip
    kind = bytes((_SET_CODE,))
    signed = sign(account.key, keccak(kind + rlp.encode(fields)))
    r, s = int.from_bytes(signed[:32]), int.from_bytes(signed[32:64])
    return decode_raw(kind + rlp.encode([*fields, signed[64], r, s]), chain_id)


def _without_blobs(raw: bytes) -> bytes:
    """On the network the blobs follow the transaction; they are no part of it."""
    items = rlp.decode(raw[1:])
    whole = items[0] if items and isinstance(items[0], list) else items
    return raw[:1] + rlp.encode(whole)
