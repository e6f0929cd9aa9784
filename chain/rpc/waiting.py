"""Transactions that wait for their block, and how a better one takes the place of one of them.

There is no pool: without automine a transaction runs at once, in the open block, and is final when that is mined. Until then
its sender may replace it: the block is taken back to where it ran, the new one runs there, and then those behind it again.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from chain.errors import InvalidTransaction
from chain.ledger.receipts import Receipt
from chain.machine.transaction import Transaction
from chain.rpc.errors import refused
from chain.rpc.reading import read_envelope

if TYPE_CHECKING:
    from chain.simulator import Chain

_MORE: Final = 110  # per cent of the fees, as Ethereum's pools have it


def apply(chain: Chain, tx: Transaction) -> Receipt:
    """Send a transaction, in the place of a waiting one if it has the same sender and number."""
    old = _waiting(chain, tx)
    return chain.apply(tx) if old is None else _replace(chain, old, tx)


def _waiting(chain: Chain, tx: Transaction) -> Receipt | None:
    ledger = chain.ledger
    if ledger.open is None or tx.nonce >= chain.state.account(tx.sender)[0]:
        return None
    for receipt in ledger.receipts[ledger.open.first_receipt :]:
        if (receipt.sender, receipt.nonce) == (tx.sender, tx.nonce):
            return receipt
    return None


def _replace(chain: Chain, old: Receipt, tx: Transaction) -> Receipt:
    for new_fee, fee in ((tx.max_fee, old.max_fee), (tx.tip, old.tip)):
        if new_fee * 100 < fee * _MORE:
            raise refused(
                "replacement transaction underpriced: each of its fees must be a tenth higher"
            )
    ledger, position = chain.ledger, old.position
    moment = ledger.moment_of(old)
    if ledger.notes_from(moment):
        raise refused("it cannot be replaced: something was set by hand since it ran")
    gone = ledger.receipts[position:]
    first, *later = [_again(chain, receipt) for receipt in gone]
    before = chain.snapshot()._replace(
        moments=moment, receipts=position, last=ledger.last(len(ledger.blocks), moment)
    )
    if before.open is not None:
        before.open.gas_used -= sum(receipt.gas_used for receipt in gone)
    chain.revert(before)
    try:
        return chain.include(tx)
    except InvalidTransaction:
        chain.include(first)
        raise
    finally:
        for each in later:
            with suppress(InvalidTransaction):  # it lived on what is gone
                chain.include(each)


def _again(chain: Chain, receipt: Receipt) -> Transaction:
    """The transaction of a receipt, to be run once more."""
    if receipt.raw is not None:
        return read_envelope(chain, receipt.raw)
    return Transaction(
        receipt.sender, receipt.to, receipt.data, receipt.value, receipt.gas, receipt.nonce,
        receipt.max_fee, receipt.tip, receipt.type, receipt.access_list,
    )  # fmt: skip
