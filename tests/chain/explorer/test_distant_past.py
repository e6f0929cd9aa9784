"""What takes long leaves room for other requests, and the chain may change meanwhile."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeVar

import pytest

from chain import Chain
from chain.explorer import distant_past
from chain.ledger import headers, store
from tests.chain.toys import Counter

T = TypeVar("T")


def with_turns(work: Coroutine[Any, Any, T]) -> tuple[T, int]:
    """What a request returns, and how often others had their turn meanwhile."""

    async def both() -> tuple[T, int]:
        task, turns = asyncio.ensure_future(work), 0
        while not task.done():
            await asyncio.sleep(0)
            turns += 1
        return await task, turns

    return asyncio.run(both())


def counted(chain: Chain, times: int) -> None:
    counter = chain.deploy(Counter)
    for _ in range(times):
        counter.add(1)


def test_others_have_their_turn_while_blocks_are_hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(headers, "_STEP", 5)
    chain = Chain()
    counted(chain, 30)
    expected = chain.fork().block_hash(20)
    made, turns = with_turns(distant_past.block_hash(chain.ledger, 20))
    assert made == expected and turns > 31 // 5 + 20


def test_others_have_their_turn_while_a_transaction_is_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(distant_past, "_HASHES", 3)
    chain = Chain()
    counted(chain, 30)
    last = chain.receipts[-1]
    assert with_turns(distant_past.find_transaction(chain.ledger, bytes(32)))[0] is None
    again = Chain()
    counted(again, 30)
    found, turns = with_turns(distant_past.find_transaction(again.ledger, last.tx_hash))
    assert found is not None and found.position == last.position and turns > 31 // 3


def changed_meanwhile(steps: Callable[[Chain], Iterable[object]]) -> tuple[bytes, bytes, bytes]:
    """The hashes of a chain that grows, and goes back, between the first steps."""
    chain = Chain()
    counted(chain, 20)
    point = chain.snapshot()
    counted(chain, 20)
    doing = iter(steps(chain))
    for number in range(6):
        next(doing, None)
        if number == 2:
            chain.set_balance("alice", 5)
            chain.mine()
        elif number == 4:
            chain.revert(point)
            chain.set_balance("bob", 7)
            counted(chain, 9)
    deque(doing, maxlen=0)
    return chain.block_hash(18), chain.block_hash(), chain.state_root()


def test_headers_are_right_if_the_chain_changes_while_they_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(headers, "_STEP", 5)
    made = changed_meanwhile(lambda chain: chain.ledger.headers.steps(18))
    assert made == changed_meanwhile(lambda chain: ())


def test_the_way_to_the_far_past_is_read_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_BATCH", 6)
    monkeypatch.setattr(distant_past, "SLICE", 0)
    chain = Chain()
    counter = chain.deploy(Counter)
    for _ in range(20):
        counter.add(1)
    turns = with_turns(distant_past.approach(chain.ledger))[1]
    assert turns == 4


def test_chain_may_be_cut_while_its_past_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_BATCH", 6)
    monkeypatch.setattr(distant_past, "SLICE", 0)
    chain = Chain()
    counter, start = chain.deploy(Counter), chain.snapshot()
    for _ in range(20):
        counter.add(1)

    async def cut() -> None:
        chain.revert(start)

    async def both() -> None:
        await asyncio.gather(distant_past.approach(chain.ledger), cut())

    asyncio.run(both())
    assert counter.add(1).ok
