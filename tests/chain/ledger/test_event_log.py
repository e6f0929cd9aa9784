"""Logs are entered when they are first queried: an interrupt, or an undone receipt, leaves nothing behind."""

from __future__ import annotations

from typing import Any

import pytest

from chain import Chain, Contract, Key, call, event
from chain.ledger.store import Store
from chain.simulator.handle import Handle
from chain.types import u64


@event
class Placed:
    spot: Key[u64]
    by: u64


class TwoSpots(Contract):
    @call
    def place(self, first: u64, second: u64) -> None:
        self.emit(Placed(first, 1))
        self.emit(Placed(second, 2))


@pytest.fixture
def board(chain: Chain) -> Handle:
    return chain.deploy(TwoSpots)


def spots(chain: Chain) -> list[int]:
    return [placed.spot for placed in chain.events(Placed)]


@pytest.mark.parametrize("entered", [0, 1, 2, 3])
def test_interrupted_entry_is_completed_or_undone(
    chain: Chain, board: Handle, entered: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = chain.snapshot()
    board.place(1, 2)
    board.place(3, 4)
    tell, done = Store._tell, 0

    def interrupted(store: Store, *args: Any) -> Any:
        nonlocal done
        if done == entered:
            raise KeyboardInterrupt
        done += 1
        return tell(store, *args)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "_tell", interrupted)
        with pytest.raises(KeyboardInterrupt):
            spots(chain)
    fork = chain.fork()
    assert spots(fork) == [1, 2, 3, 4]
    chain.revert(before)
    board.place(5, 6)
    assert spots(chain) == [5, 6]
    assert chain.events(Placed, spot=3).count() == 0 and chain.events(Placed, spot=6).one().by == 2


def test_receipts_undone_unasked_leave_no_logs(chain: Chain, board: Handle) -> None:
    board.place(1, 2)
    assert spots(chain) == [1, 2] and chain.events(Placed, by=2).count() == 1
    before = chain.snapshot()
    board.place(3, 4)
    chain.revert(before)
    assert spots(chain) == [1, 2]
    board.place(5, 6)
    assert spots(chain) == [1, 2, 5, 6] and chain.events(Placed, by=2).count() == 2
