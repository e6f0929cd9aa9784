"""A transaction as the machine accepts it, signed or not, and its result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from chain.errors import InvalidTransaction
from chain.machine.frame import Frame, TransactionContext
from chain.machine.state import Changes, LogRow
from chain.values import short_repr
from chain.values.inputs import NONCE, address_of, raw_bytes, wei, whole_number

BLOB_TYPE: Final = 3
SET_CODE_TYPE: Final = 4
BLOB_VERSION: Final = b"\x01"  # the first byte of a blob's hash
# Why a transaction that needs a recipient is refused without one, by its type.
NO_CREATION: Final = {
    BLOB_TYPE: "blob transaction of type create: with blobs it cannot create a contract",
    SET_CODE_TYPE: "EIP-7702 transaction cannot be used to create contract: send it to an account",
}


class AddedFields(NamedTuple):
    """The fields that only transactions of some types have."""

    blob_hashes: tuple[bytes, ...] = ()
    max_blob_fee: int = 0
    authorizations: Sequence[Any] = ()


ADDED: Final = frozenset({BLOB_TYPE, SET_CODE_TYPE})  # the types with such fields
NONE_ADDED: Final = AddedFields()


class Transaction(NamedTuple):
    """The fields of a transaction: sender, target, data, value, gas and fees."""

    sender: bytes
    to: bytes | None  # None: create a contract
    data: bytes
    value: int
    gas: int
    nonce: int
    max_fee: int
    tip: int = 0
    type: int = 2  # numbered by EIP-2718; 2 is EIP-1559
    access_list: tuple[tuple[bytes, tuple[int, ...]], ...] = ()
    signed: object = None  # py-evm's transaction, if it arrived signed
    raw: bytes | None = None  # its signed bytes
    is_free: bool = False  # no fee: a rehearsal, or a test's sender without a key

    @property
    def is_signed(self) -> bool:
        return self.raw is not None or self.signed is not None


def checked(tx: object) -> Transaction:
    """Return a transaction that was built by hand, with every field validated."""
    if not isinstance(tx, Transaction):
        raise TypeError(f"{short_repr(tx)} is not a Transaction")
    error_type = InvalidTransaction
    tx_type = whole_number(tx.type, "type", 4, wrong=error_type)
    if tx_type > 2 and not tx.is_signed:
        raise error_type(f"a transaction of type {tx_type} must be signed")
    return Transaction(
        bytes(address_of(tx.sender, "sender")), None if tx.to is None else bytes(address_of(tx.to, "to")),
        raw_bytes(tx.data, "data"), wei(tx.value, wrong=error_type), whole_number(tx.gas, "gas", NONCE, wrong=error_type),
        whole_number(tx.nonce, "nonce", NONCE, wrong=error_type),
        wei(tx.max_fee, "max_fee", error_type), wei(tx.tip, "tip", error_type), tx_type,
        _access_list(tx.access_list), tx.signed, tx.raw, tx.is_free,
    )  # fmt: skip


def _access_list(entries: Any) -> tuple[tuple[bytes, tuple[int, ...]], ...]:
    """Return a validated access list."""
    try:
        pairs = [(address, tuple(slots)) for address, slots in entries]
    except (TypeError, ValueError):
        raise TypeError(
            f"access_list = {short_repr(entries)} is not a list of addresses, each with its slots"
        ) from None
    return tuple(
        (
            bytes(address_of(address, "access_list")),
            tuple(whole_number(slot, "slot") for slot in slots),
        )
        for address, slots in pairs
    )


class TransactionResult(NamedTuple):
    """The outcome of a transaction."""

    frame: Frame
    context: TransactionContext
    gas_used: int
    gas_price: int
    changes: Changes
    logs: Sequence[LogRow]
