"""The counter that web3.py clients call."""

from __future__ import annotations

from chain import Address, Contract, Key, Revert, call, error, event, init, require, view
from chain.types import u64


@event
class Added:
    who: Key[Address]
    by: u64
    note: str


@error
class TooMuch(Revert):
    asked: u64
    most: u64


class Counter(Contract):
    count: u64
    last: u64 | None

    @init
    def new(self, start: u64) -> None:
        self.count = start

    @call
    def add(self, by: u64, note: str = "") -> u64:
        require(by, "nothing to add")
        if by > 1_000:
            raise TooMuch(by, 1_000)
        self.count, self.last = self.count + by, by
        self.emit(Added(self.caller, by, note))
        return self.count

    @call(payable=True)
    def pay(self) -> None:
        pass

    @view
    def total(self) -> u64:
        return self.count

    @view
    def latest(self) -> u64 | None:
        return self.last
