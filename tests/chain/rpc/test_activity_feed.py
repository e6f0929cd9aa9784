"""The output of a node at a terminal: a line for each transaction, once it is done."""

from __future__ import annotations

from contextlib import suppress

import pytest

from chain import Chain, Reverted
from chain.rpc.server.activity_feed import ActivityFeed
from chain.simulator.handle import Handle


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def feed(chain: Chain, told: list[str]) -> ActivityFeed:
    return ActivityFeed(chain.ledger, told.append)


def test_transactions_are_reported_once(
    chain: Chain, counter: Handle, feed: ActivityFeed, told: list[str]
) -> None:
    before = chain.snapshot()
    counter.add(1)
    feed.update()
    feed.update()
    assert [line.split(" [")[0] for line in told] == ["2 +2s alice: Counter.add(1) -> 1"]
    chain.revert(before)
    counter.add(2)
    feed.update()
    assert [line.split(" [")[0] for line in told[1:]] == ["2 +2s alice: Counter.add(2) -> 2"]


def test_lines_do_not_steer_a_terminal(
    chain: Chain, counter: Handle, feed: ActivityFeed, told: list[str]
) -> None:
    with suppress(Reverted):
        chain.send(counter.address, counter.refuse.calldata("\x1b[2J\ngone"))
    feed.update()
    (line,) = told
    assert line.isprintable()
    assert "gone" in line
