"""Transactions that are signed here, with a key that the chain does not have."""

from __future__ import annotations

from chain.crypto.accounts import Account
from chain.ledger.receipts import Receipt
from chain.ledger.signing import encode_signed
from chain.machine.transaction import Transaction
from chain.simulator.chain import Chain
from chain.simulator.gas_estimate import estimate_gas
from chain.types import Address


def send_signed(
    chain: Chain,
    signer: Account,
    to: Address | None,
    data: bytes,
    value: int = 0,
    gas: int | None = None,
) -> Receipt:
    """Sign a transaction and send it. Without `gas` it gets the gas that it needs at present, and a quarter more."""
    block = chain.pending
    room = min(block.gas_limit - block.gas_used, block.max_transaction_gas)
    target, limit = None if to is None else bytes(to), room if gas is None else gas
    nonce, fee = chain.nonce(signer), block.base_fee
    tx = Transaction(bytes(signer), target, data, value, limit, nonce, fee)
    if gas is None:
        estimate, _ = estimate_gas(chain, tx, block)
        tx = tx._replace(gas=min(estimate + estimate // 4, room))
    return chain.send_raw(encode_signed(tx, chain.chain_id, signer))
