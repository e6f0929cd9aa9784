"""Queries of the receipt log after any play: every answer equals that of a plain search through all receipts."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chain import Chain
from chain.ledger.queries import Query
from chain.ledger.receipt_log import ReceiptLog
from tests.chain.ledger.moving_board import Board, Moved

Step = st.tuples(st.sampled_from(["move", "fail", "save", "back", "ask"]), st.integers(0, 3))


@given(st.lists(Step, max_size=30))
def test_answers_equal_a_plain_search(steps: list[tuple[str, int]]) -> None:
    """Moves, failures, snapshots and reverts in any order: every index agrees with a look through all receipts."""
    chain = Chain()
    board, saved = chain.deploy(Board), [chain.snapshot()]
    for what, number in steps:
        if what == "save":
            saved.append(chain.snapshot())
        elif what == "back":
            del saved[number + 1 :]
            chain.revert(saved[-1])
        elif what == "ask":
            check_answers(chain, number)
        else:
            piece = number + (200 if what == "fail" else 0)
            board.move(piece, sender=chain.accounts[number % 2], check=False)
    for number in range(4):
        check_answers(chain, number)


def by_pages(asked: Query[Any] | ReceiptLog, limit: int) -> list[Any]:
    """All answers, read page by page."""
    pages = [asked.page(limit=limit)]
    while pages[-1].older is not None:
        pages.append(asked.page(before=pages[-1].older, limit=limit))
    return [item for page in pages for item in page]


def check_answers(chain: Chain, number: int) -> None:
    player = chain.accounts[number % 2]
    everything = [moved for receipt in chain.receipts for moved in receipt.events]
    for values in (
        {"player": player},
        {"piece": number},
        {"player": player, "path": (number,) * 2},
    ):
        plain = [m for m in everything if all(getattr(m, name) == v for name, v in values.items())]
        assert list(chain.events(Moved, **values)) == plain
        assert list(chain.events(Moved, **values).by_contract("Board")) == plain
        assert by_pages(chain.events(Moved, **values), number + 1) == plain[::-1]
    assert list(chain.events()) == everything
    assert by_pages(chain.events(), number + 1) == everything[::-1]
    sent = [receipt for receipt in chain.receipts if receipt.sender == player]
    failed = chain.receipts.where(sender=player, ok=False).between(blocks=(1, 9))
    assert by_pages(failed, number + 1) == list(failed)[::-1]
    assert by_pages(chain.receipts, number + 1) == list(chain.receipts)[::-1]
    assert list(chain.receipts.where(sender=player)) == sent
    assert list(chain.receipts.where(sender=player, ok=False)) == [r for r in sent if not r.ok]
