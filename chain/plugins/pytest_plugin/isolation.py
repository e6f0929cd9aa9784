"""Anchors for tests: the chains that exist, and the snapshots to which they are reverted after a test or an example.

Chains are registered from outside, so this module is light: it imports nothing of the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from operator import is_
from typing import TYPE_CHECKING, Final, TypeAlias
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from chain.ledger.blocks import Head
    from chain.simulator.chain import Chain

Level: TypeAlias = "WeakKeyDictionary[Chain, Head]"

_MOST: Final = 50  # transactions in a report


class ChainIsolation:
    """All existing chains, and the levels to which they are reverted: the test, and within it the example."""

    def __init__(self) -> None:
        # For each chain, the number of its receipts at the beginning of the test.
        self.began: WeakKeyDictionary[Chain, int] = WeakKeyDictionary()
        self._levels: list[Level] = []

    def register_chain(self, chain: Chain) -> None:
        self.began[chain] = 0

    def start_test(self) -> None:
        """Record the beginning of a test."""
        for chain in self.began:
            self.began[chain] = len(chain.receipts)

    def is_registered(self, value: object) -> bool:
        """True if `value` is a chain that is reverted, or an object of ours that belongs to one."""
        owner = getattr(value, "__self__", value)
        if type(owner).__module__.partition(".")[0] != "chain":
            return False
        return any(chain in (owner, getattr(owner, "chain", None)) for chain in self.began)

    def activity_sections(self) -> list[tuple[str, str]]:
        """Return for each chain the activity since the test began, as sections of a report."""
        sections = []
        for chain, began in self.began.items():
            count = len(chain.receipts) - began
            if count > 0:
                left_out = f"({count - _MOST} earlier transactions)\n" if count > _MOST else ""
                try:
                    activity = chain.activity(since=max(began, len(chain.receipts) - _MOST))
                except ValueError as problem:
                    activity = f"({problem})\n"
                sections.append(("chain activity", left_out + activity + _changes(chain)))
        return sections

    @contextmanager
    def rollback_scope(self) -> Iterator[Callable[[], None]]:
        """Take a snapshot of each chain, and yield a function that reverts to it."""
        level: Level = WeakKeyDictionary()
        for chain in self.began:
            level[chain] = chain.snapshot()
        self._levels.append(level)
        try:
            yield lambda: self._roll_back(level)
        finally:
            self._levels.remove(level)

    @contextmanager
    def persistent_fixture_scope(self, name: str) -> Iterator[None]:
        """Keep the effects on chains of a fixture that outlives the test.

        Refuse it if they cannot be separated from those of the test.
        """
        before = {chain: chain.snapshot() for chain in self.began} if self._levels else {}
        yield
        for level in self._levels:
            for chain in self.began:
                after = chain.snapshot()
                if before.get(chain) == after:
                    continue
                if chain in before and level.get(chain) != before[chain]:
                    raise RuntimeError(
                        f"fixture '{name}' outlives this test but changes a chain that the test has changed before it:"
                        f" add '{name}' to the arguments of the test"
                    )
                level[chain] = after

    def _roll_back(self, level: Level) -> None:
        """Revert each chain to its snapshot. The next tests ignore a chain for which that fails."""
        lost = []
        for chain, snapshot in level.items():
            try:
                chain.revert(snapshot)
            except ValueError:
                if not _is_same(chain.snapshot(), snapshot):  # an unchanged chain may be closed
                    lost.append(chain)
        for chain in lost:
            self.began.pop(chain, None)
        if lost:
            raise RuntimeError(
                "the test reverted a chain to before its own beginning, so the effects of its fixtures there are lost"
            )


def _is_same(snapshot: Head, other: Head) -> bool:
    """True if nothing happened on a chain between two snapshots, not even something that was undone and repeated."""
    return snapshot == other and all(map(is_, snapshot.last, other.last))


def _changes(chain: Chain) -> str:
    """Return a line for each contract that does not run as it was deployed."""
    tell = import_module("chain.metering.program").sentence_on_changes
    told = map(tell, chain.machine.programs.values())
    return "".join(f"({sentence})\n" for sentence in told if sentence)
