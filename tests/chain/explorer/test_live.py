"""News for open pages."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from chain import Chain
from chain.explorer import live
from chain.explorer.live import Live


async def told(feed: Any) -> Any:
    return json.loads((await anext(feed)).removeprefix("data: "))


def test_news_goes_out_when_the_node_publishes() -> None:
    async def listen() -> None:
        chain = Chain()
        news = Live(chain.ledger)
        feed = news.feed()
        assert await told(feed) == {"receipts": 0, "block": 0, "cuts": 0}
        coming = asyncio.ensure_future(told(feed))
        await asyncio.sleep(0)
        chain.mine()
        news.publish()
        assert (await coming)["block"] == 1
        news.close()

    asyncio.run(listen())


def test_what_follows_soon_waits(monkeypatch: Any) -> None:
    monkeypatch.setattr(live, "_PAUSE", 0.01)

    async def listen() -> None:
        chain = Chain()
        news = Live(chain.ledger)
        feed, seen = news.feed(), []
        seen.append(await told(feed))
        for _ in range(5):
            coming = asyncio.ensure_future(told(feed))
            await asyncio.sleep(0)
            for _ in range(3):
                chain.mine()
                news.publish()
            seen.append(await coming)
        assert [state["block"] for state in seen] == [0, 3, 6, 9, 12, 15]
        news.close()

    asyncio.run(listen())


def test_a_rollback_is_reported_as_one() -> None:
    async def listen() -> None:
        chain = Chain()
        point = chain.snapshot()
        chain.mine()
        news = Live(chain.ledger)
        feed = news.feed()
        assert (await told(feed))["cuts"] == 0
        chain.revert(point)
        assert await told(feed) == {"receipts": 0, "block": 0, "cuts": 1}
        news.close()

    asyncio.run(listen())


def test_only_some_pages_listen_at_a_time() -> None:
    async def listen() -> None:
        news = Live(Chain().ledger)
        feeds = [news.feed() for _ in range(live.MOST)]
        for feed in feeds:
            await anext(feed)
        assert not news.has_room
        await feeds[0].aclose()  # type: ignore[attr-defined]
        assert news.has_room
        news.close()

    asyncio.run(listen())
