"""Anchors for tests: which chains live, and where each is taken back to when a test or an example is over.

It knows chains only by being told of them, so it is light: nothing of the engine is imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from chain.simulator.chain import (
        Chain,
        Snapshot,
    )

Level: TypeAlias = "WeakKeyDictionary[Chain, Snapshot]"

_MOST: Final = 50  # transactions that a report shows


class ChainIsolation:
    """All chains that live, and the levels to which they are taken back: the test, within it the example."""

    def __init__(self) -> None:
        # For each chain, how many receipts it had when the test began.
        self.began: WeakKeyDictionary[Chain, int] = WeakKeyDictionary()
        self._levels: list[Level] = []

    def register_chain(self, chain: Chain) -> None:
        self.began[chain] = 0

    def start_test(self) -> None:
        """A test begins here."""
        for chain in self.began:
            self.began[chain] = len(chain.receipts)

    def is_registered(self, value: Any) -> bool:
        """Whether `value` is a chain that is taken back, or something of ours that stands on one."""
        owner = getattr(value, "__self__", value)
        if type(owner).__module__.partition(".")[0] != "chain":
            return False
        return any(chain in (owner, getattr(owner, "chain", None)) for chain in self.began)

    def transcripts(self) -> list[tuple[str, str]]:
        """For each chain what happened since the test began, as sections of a report."""
        found = []
        for chain, began in self.began.items():
            count = len(chain.receipts) - began
            if count > 0:
                left_out = f"({count - _MOST} earlier transactions)\n" if count > _MOST else ""
                try:
                    told = chain.transcript(since=max(began, len(chain.receipts) - _MOST))
                except ValueError as closed:
                    told = f"({closed})\n"
                found.append(("chain transcript", left_out + told))
        return found

    @contextmanager
    def rollback_scope(self) -> Iterator[Callable[[], None]]:
        """A scope with a place to go back to; gives what goes back."""
        level: Level = WeakKeyDictionary()
        for chain in self.began:
            level[chain] = chain.snapshot()
        self._levels.append(level)
        try:
            yield lambda: _go_back(level)
        finally:
            self._levels.remove(level)

    @contextmanager
    def persistent_fixture_scope(self, name: str) -> Iterator[None]:
        """A fixture that outlives the test is made here: what it does to a chain stays, if that can be told apart."""
        known = {chain: chain.snapshot() for chain in self.began} if self._levels else {}
        yield
        for level in self._levels:
            for chain in self.began:
                now = chain.snapshot()
                if known.get(chain) == now:
                    continue
                if chain in known and level.get(chain) != known[chain]:
                    raise RuntimeError(
                        f"fixture '{name}' outlives this test but changes a chain that the test has changed before it:"
                        f" let the test name '{name}' among its arguments"
                    )
                level[chain] = now


def _go_back(level: Level) -> None:
    lost = False
    for chain, snapshot in level.items():
        try:
            chain.revert(snapshot)
        except ValueError:
            lost = True
    if lost:
        raise RuntimeError(
            "the test took a chain back to before the test began, so what its fixtures did there is lost"
        )
