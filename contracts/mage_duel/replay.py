"""A whole World once more, from nothing but the receipt log of the chain it lived on.

Receipts tell who sent what and when, so the same calls can be sent again on a fresh chain. What chance decided is told by what
they changed and announced, so it need not be the same chance: a game whose draws were forced comes out as it did.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from chain import Address, Chain
from chain.ledger.receipts import Receipt
from contracts.mage_duel import models
from contracts.mage_duel.events import BoardCreated
from contracts.mage_duel.ring import slots_of
from contracts.mage_duel.views import RULES_ID, Views


def replay(receipts: Iterable[Receipt]) -> Chain:
    """A fresh chain that has been sent the transactions of a receipt log again, in the same blocks at the same times.

    It begins with the well-known accounts alone, so these must have sent them.
    """
    again = Chain()
    for number, together in groupby(receipts, key=lambda receipt: receipt.block_number):
        again.mine(number - len(again.blocks))
        first, *rest = together
        again.set_time(first.timestamp)
        with again.block():
            for receipt in (first, *rest):
                _send_again(again, receipt)
    return again


def _send_again(chain: Chain, receipt: Receipt) -> None:
    if receipt.to is None and receipt.program is not None:
        chain.declare(receipt.program.spec.cls)
    with chain.loaded(**_chance(chain, receipt)):
        chain.send(
            receipt.to, receipt.data, sender=receipt.sender, value=receipt.value, gas=receipt.gas
        )


def _chance(chain: Chain, receipt: Receipt) -> dict[str, list[int]]:
    """The outcomes that chance had in a call, by their tags: of a board that opens, or of a tile that comes up."""
    if receipt.program is None or not issubclass(receipt.program.spec.cls, Views):
        return {}
    if opened := receipt.events["BoardCreated"]:
        world, *_ = receipt.log_rows[0]
        return _opening(chain, world, *opened)
    draws = [write.new for write in receipt.writes if write.field == "draws"]
    return {"draw": draws} if draws else {}


def _opening(chain: Chain, world: bytes, board: BoardCreated) -> dict[str, list[int]]:
    edges = {"edges": [*slots_of(board.initial_edge_state)]}
    if board.top_tile is None:
        return edges
    deck = chain.world(Address(world)).read(models.Rules, RULES_ID).deck
    return edges | {"draw": [sum(deck[: board.top_tile])]}
