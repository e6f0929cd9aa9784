"""The smallest useful contract: one word and one event per call."""

from __future__ import annotations

from collections.abc import Callable

from chain import Address, Chain, Contract, Key, call, event, view
from chain.types import u256


@event
class Added:
    who: Key[Address]
    by: u256
    total: u256


class Counter(Contract):
    count: u256

    @call
    def increment(self, by: u256) -> None:
        self.count += by
        self.emit(Added(self.caller, by, self.count))

    @view
    def total(self) -> u256:
        return self.count


def counting(chain: Chain) -> Callable[[int], None]:
    """Deploy a counter, and return a function that calls it n times, by ten senders in turn."""
    increment, senders = chain.deploy(Counter).increment, chain.accounts

    def run(n: int) -> None:
        for i in range(n):
            increment(1, sender=senders[i % 10])

    return run
