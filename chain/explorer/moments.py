"""The chain as it was before or after one transaction."""

from __future__ import annotations

from chain.ledger.receipts import Receipt
from chain.simulator.chain import Chain
from chain.simulator.past import ChainAtBlock, scratch_chain


def before(chain: Chain, receipt: Receipt) -> ChainAtBlock:
    return _at(chain, receipt, 0)


def after(chain: Chain, receipt: Receipt) -> ChainAtBlock:
    return _at(chain, receipt, 1)


def _at(chain: Chain, receipt: Receipt, more: int) -> ChainAtBlock:
    moment = chain.ledger.timeline_index(receipt) + more
    block = chain.ledger.block(receipt.block_number)
    return scratch_chain(chain.ledger.then(moment), chain.machine, block, moment)
