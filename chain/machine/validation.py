"""The validity of a transaction: its nonce, fees, gas and funds, checked before any of it runs."""

from __future__ import annotations

from chain.crypto.hashing import checksum_address
from chain.errors import InvalidTransaction, Unfit
from chain.machine import gas as cost
from chain.machine.block_context import BlockContext
from chain.machine.state import EMPTY_CODE_HASH, Account, State
from chain.machine.transaction import (
    BLOB_TYPE,
    BLOB_VERSION,
    NO_CREATION,
    NONE_ADDED,
    AddedFields,
    Transaction,
)
from chain.values.inputs import NONCE, wei


def validate(
    tx: Transaction,
    block: BlockContext,
    state: State,
    account: Account,
    added: AddedFields = NONE_ADDED,
) -> tuple[int, int]:
    """Check that `block` can include `tx`. Return its intrinsic gas, and the least gas that it pays.

    `account` is that of the sender. No account with code can sign (EIP-3607);
    a transaction that is not signed may come from one, to impersonate it.
    """
    nonce, balance, code_hash = account
    sender, to, data, value, gas, tx_nonce, fee, tip, _, access_list, _, _, is_free = tx
    tokens = cost.calldata_tokens(data)
    intrinsic = cost.TRANSACTION + cost.TOKEN * tokens
    floor = cost.TRANSACTION + cost.FLOOR_PER_TOKEN * tokens
    if to is None or access_list or added is not NONE_ADDED:
        intrinsic += _special_gas(tx, block, added)
    if code_hash != EMPTY_CODE_HASH and tx.is_signed and not state.lender(sender):
        raise _of_contract(sender)
    if tx_nonce != nonce:
        raise _wrong_nonce(tx, nonce)
    if nonce == NONCE and not is_free:  # EIP-2681
        raise InvalidTransaction(
            f"nonce has max value: {checksum_address(sender)} has used up all its nonces"
        )
    if fee < block.base_fee and not is_free:
        raise InvalidTransaction(
            f"it is {fee} wei, the base fee {block.base_fee}", Unfit.FEE_TOO_LOW
        )
    if value < 0:
        wei(value, wrong=InvalidTransaction)
    if tip > fee:
        raise InvalidTransaction(
            f"max priority fee per gas higher than max fee per gas: the tip is {tip} wei, the whole fee {fee}"
        )
    if gas < intrinsic or gas < floor:
        least = max(intrinsic, floor)
        raise InvalidTransaction(
            f"it has {gas} gas, its bytes alone take {least}", Unfit.GAS_TOO_LOW
        )
    if gas > block.max_transaction_gas:
        raise _too_much_gas(gas, block)
    needed = gas * fee + value
    if added is not NONE_ADDED:
        _check_added(tx, added, block)
        needed += len(added.blob_hashes) * cost.PER_BLOB * added.max_blob_fee
    if balance < needed:
        wei(value, wrong=InvalidTransaction)
        raise InvalidTransaction(
            f"{checksum_address(sender)} has {balance} wei, {needed} may be needed; set_balance gives it more",
            Unfit.NO_FUNDS,
        )
    return intrinsic, floor


def _special_gas(tx: Transaction, block: BlockContext, added: AddedFields) -> int:
    """Return the intrinsic gas for creating a contract, for an access list and for permissions."""
    special = cost.AUTHORIZATION * len(added.authorizations)
    for _, slots in tx.access_list:
        special += cost.ACCESS_LIST_ADDRESS + cost.ACCESS_LIST_SLOT * len(slots)
    if tx.to is not None:
        return special
    size, most = len(tx.data), block.fork.max_initcode
    if size > most:
        raise InvalidTransaction(
            f"it has {size} bytes, at most {most} are allowed", Unfit.INITCODE_TOO_LARGE
        )
    return special + cost.CREATE + cost.INITCODE_WORD * cost.word_count(size)


def _of_contract(sender: bytes) -> InvalidTransaction:
    text = f"{checksum_address(sender)} is a contract, so it cannot sign"
    return InvalidTransaction(text, Unfit.SENDER_IS_CONTRACT)


def _wrong_nonce(tx: Transaction, nonce: int) -> InvalidTransaction:
    text = f"it is {tx.nonce}, the next of {checksum_address(tx.sender)} is {nonce}"
    is_low = tx.nonce < nonce
    return InvalidTransaction(text, Unfit.NONCE_TOO_LOW if is_low else Unfit.NONCE_TOO_HIGH)


def _too_much_gas(gas: int, block: BlockContext) -> InvalidTransaction:
    reason = (
        "exceeds block gas limit: gas limit reached, a block"
        if gas > block.gas_limit
        else "transaction gas limit too high: a transaction"
    )
    return InvalidTransaction(f"{reason} holds at most {block.max_transaction_gas} gas, not {gas}")


def _check_added(tx: Transaction, added: AddedFields, block: BlockContext) -> None:
    """Check the recipient, and the blobs or permissions."""
    if tx.to is None:
        raise InvalidTransaction(NO_CREATION[tx.type])
    if tx.type == BLOB_TYPE:
        _check_blobs(added, block, tx.is_free)
    elif not added.authorizations:
        raise InvalidTransaction(
            "EIP-7702 transaction with empty auth list: it lends code to nobody"
        )


def _check_blobs(added: AddedFields, block: BlockContext, is_free: bool) -> None:
    hashes, most = added.blob_hashes, block.fork.max_transaction_blobs or block.fork.blobs.max
    if not hashes:
        raise InvalidTransaction("blob transaction missing blob hashes: it has at least one blob")
    if len(hashes) > most:
        raise InvalidTransaction(
            f"blob transaction has too many blobs: {len(hashes)}, a transaction has at most {most}"
        )
    for number, blob_hash in enumerate(hashes):
        if blob_hash[:1] != BLOB_VERSION:
            raise InvalidTransaction(
                f"blob {number} has invalid hash version: its hash begins with 0x{blob_hash[:1].hex()}, not 0x01"
            )
    fee, price = added.max_blob_fee, block.blob_base_fee
    if fee < price and not is_free:
        raise InvalidTransaction(
            f"max fee per blob gas less than block blob gas fee: it is {fee} wei, the price {price}"
        )
