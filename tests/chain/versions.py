"""Contracts that tests change, as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

FIRST = """
    from chain import Contract, Key, Map, Vector, call, event, view
    from chain.types import Address, u8, u64

    @event
    class Added:
        by: Key[Address]
        total: u64

    class Game(Contract):
        total: u64
        names: Map[u64, str]

        @call
        def add(self, n: u64) -> u64:
            self.total += n
            self.emit(Added(self.caller, self.total))
            return self.total

        @view
        def twice(self) -> u64:
            return 2 * self.total
"""
DOUBLE = FIRST.replace("+= n", "+= 2 * n")
TRIPLE = FIRST.replace("+= n", "+= 3 * n")
TALLY = """
from chain import Contract, Map, Vector, call
from chain.types import u8, u64


class Game(Contract):
    count: u64
    names: Map[u64, str]

    @call
    def add(self, n: u64) -> u64:
        self.count += n
        return self.count
"""
Edit = Callable[[str], Any]
