"""What takes long leaves room for other requests, and the chain may change meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

from chain import Chain
from chain.explorer import distant_past
from chain.ledger import store
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
