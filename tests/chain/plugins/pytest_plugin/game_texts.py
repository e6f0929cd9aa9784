"""A game for runs of pytest inside a test, and a fixture of it for a whole module."""

from __future__ import annotations

from textwrap import dedent

GAME = dedent("""
    import pytest
    from hypothesis import given, settings, strategies as st
    from chain import Chain, Contract, Key, call, event, require
    from chain.types import Address, u64

    settings.register_profile("short", max_examples=8, database=None, derandomize=True)
    settings.load_profile("short")

    @event
    class Counted:
        by: Key[Address]
        total: u64

    class Counter(Contract):
        total: u64

        @call
        def add(self, n: u64) -> u64:
            require(n != 13, "not thirteen")
            self.total += n
            self.emit(Counted(self.caller, self.total))
            return self.total
""")
MODULE_WIDE = dedent("""
    @pytest.fixture(scope="module")
    def counter():
        counter = Chain().deploy(Counter)
        counter.add(1)
        return counter
""")
