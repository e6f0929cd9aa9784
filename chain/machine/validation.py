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
    intrinsic, floor = _least_gas(tx, added, block)
    _check_sender(tx, state, account)
    _check_fees(tx, block)
    _check_gas(tx, block, max(intrinsic, floor))
    balance, needed = account[1], tx.gas * tx.max_fee + tx.value
    if added is not NONE_ADDED:
        _check_added(tx, added, block)
        needed += len(added.blob_hashes) * cost.PER_BLOB * added.max_blob_fee
    if balance < needed:
        wei(tx.value, wrong=InvalidTransaction)
        raise InvalidTransaction(
            f"{checksum_address(tx.sender)} has {balance} wei, {needed} may be needed; set_balance gives it more",
            Unfit.NO_FUNDS,
        )
    return intrinsic, floor


def _least_gas(tx: Transaction, added: AddedFields, block: BlockContext) -> tuple[int, int]:
    data = tx.data
    tokens = cost.calldata_tokens(data)
    intrinsic = cost.TRANSACTION + cost.TOKEN * tokens
    if tx.to is None:
        intrinsic += cost.CREATE + cost.INITCODE_WORD * cost.word_count(len(data))
        if len(data) > block.fork.max_initcode:
            raise InvalidTransaction(
                f"it has {len(data)} bytes, at most {block.fork.max_initcode} are allowed",
                Unfit.INITCODE_TOO_LARGE,
            )
    for _, slots in tx.access_list:
        intrinsic += cost.ACCESS_LIST_ADDRESS + cost.ACCESS_LIST_SLOT * len(slots)
    intrinsic += cost.AUTHORIZATION * len(added.authorizations)
    return intrinsic, cost.TRANSACTION + cost.FLOOR_PER_TOKEN * tokens


def _check_sender(tx: Transaction, state: State, account: Account) -> None:
    nonce, _, code_hash = account
    if code_hash != EMPTY_CODE_HASH and tx.is_signed and not state.lender(tx.sender):
        raise InvalidTransaction(
            f"{checksum_address(tx.sender)} is a contract, so it cannot sign",
            Unfit.SENDER_IS_CONTRACT,
        )
    if tx.nonce != nonce:
        raise InvalidTransaction(
            f"it is {tx.nonce}, the next of {checksum_address(tx.sender)} is {nonce}",
            Unfit.NONCE_TOO_LOW if tx.nonce < nonce else Unfit.NONCE_TOO_HIGH,
        )
    if nonce == NONCE and not tx.is_free:  # EIP-2681
        raise InvalidTransaction(
            f"nonce has max value: {checksum_address(tx.sender)} has used up all its nonces"
        )


def _check_fees(tx: Transaction, block: BlockContext) -> None:
    if tx.max_fee < block.base_fee and not tx.is_free:
        raise InvalidTransaction(
            f"it is {tx.max_fee} wei, the base fee {block.base_fee}", Unfit.FEE_TOO_LOW
        )
    if tx.value < 0:
        wei(tx.value, wrong=InvalidTransaction)
    if tx.tip > tx.max_fee:
        raise InvalidTransaction(
            f"max priority fee per gas higher than max fee per gas: the tip is {tx.tip} wei, the whole fee {tx.max_fee}"
        )


def _check_gas(tx: Transaction, block: BlockContext, least: int) -> None:
    if tx.gas < least:
        raise InvalidTransaction(
            f"it has {tx.gas} gas, its bytes alone take {least}", Unfit.GAS_TOO_LOW
        )
    if tx.gas > block.max_transaction_gas:
        reason = (
            "exceeds block gas limit: gas limit reached, a block"
            if tx.gas > block.gas_limit
            else "transaction gas limit too high: a transaction"
        )
        raise InvalidTransaction(
            f"{reason} holds at most {block.max_transaction_gas} gas, not {tx.gas}"
        )


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
