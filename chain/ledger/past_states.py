"""Past states, each represented by its differences from the present state.

A `PastState` is the state at an index of the timeline. It reads a word from its differences, otherwise from the present
state, so its cost depends on the changes since then. Later changes of the chain never show in it: before it reads, it records
the former values of everything that changed meanwhile. When it is no longer used, its differences are moved along the
timeline to the next requested state: a step from one transaction to the next costs only that transaction's changes.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from operator import itemgetter
from typing import Any, Final
from weakref import WeakSet

from chain.concurrency.atomic_steps import Border, undisturbed
from chain.ledger.timeline import Changing
from chain.machine.overlay import overlay
from chain.machine.state import ACCOUNT, STORAGE, Account, Changes, State, iter_changes

_KEPT: Final = 4  # differences that wait to be moved
_COPIED: Final = 50  # words that can be copied in the time of undoing one change


class _Differences:
    """The differences between one index of the timeline and the present state."""

    def __init__(self, ledger: Changing, moment: int) -> None:
        self.ledger = ledger
        self.moment: int | None = moment  # None once it is no longer on the timeline
        self.accounts: dict[bytes, Account | None] = {}
        self.words: defaultdict[bytes, dict[int, int]] = defaultdict(dict)
        self.seen = moment  # the changes before this index are in the differences, or do not matter

    @property
    def size(self) -> int:
        return len(self.accounts) + sum(map(len, self.words.values()))

    def copy(self) -> _Differences:
        duplicate = _Differences(self.ledger, self.seen)
        duplicate.moment = self.moment
        duplicate.accounts |= self.accounts
        for address, words in self.words.items():
            duplicate.words[address] = words.copy()
        return duplicate

    def catch_up(self) -> None:
        """Record the former values of everything that changed since. May be interrupted and repeated."""
        timeline, state = self.ledger.timeline, self.ledger.state
        if len(timeline) == self.seen and not state.changes and not state.closed:
            return
        for changes in (*timeline[self.seen :], state.closed, state.changes):
            for address, slot, before, _ in _each(changes):
                self._keep(address, slot, before)
        self.seen = len(timeline)

    def truncate(self, end: int) -> None:
        """Keep the values that a truncation of the timeline is about to undo."""
        if self.moment is not None and end < self.moment:
            self.moment = None
        for changes in reversed(self.ledger.timeline[end : self.seen]):
            for address, slot, _, after in reversed([*_each(changes)]):
                self._keep(address, slot, after)
        self.seen = min(self.seen, end)

    def move(self, moment: int) -> None:
        """Become the differences at another index."""
        start, self.moment = self.moment, None
        assert start is not None
        timeline = self.ledger.timeline
        for changes in timeline[start:moment]:
            for address, slot, _, after in _each(changes):
                self._put(address, slot, after)
        for changes in reversed(timeline[moment:start]):
            for address, slot, before, _ in reversed([*_each(changes)]):
                self._put(address, slot, before)
        self.moment = moment

    def _keep(self, address: bytes, slot: Any, value: Any) -> None:
        if slot is ACCOUNT:
            self.accounts.setdefault(address, value)
        else:
            self.words[address].setdefault(slot, value or 0)

    def _put(self, address: bytes, slot: Any, value: Any) -> None:
        if slot is ACCOUNT:
            self.accounts[address] = value
        else:
            self.words[address][slot] = value or 0


def _each(changes: Changes) -> Iterator[tuple[bytes, Any, Any, Any]]:
    """Yield the changes one by one; that of a whole storage as those of its words."""
    for change in iter_changes(changes):
        address, slot, before, _ = change
        if slot is STORAGE:
            yield from ((address, key, word, None) for key, word in before)
        else:
            yield change


class PastState:
    """The state at an index of the timeline: the base of an overlay."""

    __slots__ = ("_differences", "_idle", "border")

    def __init__(self, differences: _Differences, idle: deque[_Differences]) -> None:
        self._differences, self._idle = differences, idle
        self.border: Border = differences.ledger.border

    def __del__(self) -> None:
        self._idle.append(self._differences)

    @undisturbed
    def account(self, address: bytes) -> Account | None:
        self._differences.catch_up()
        accounts = self._differences.accounts
        if address in accounts:
            return accounts[address]
        return self._now.accounts.get(address)

    @undisturbed
    def word(self, address: bytes, slot: int) -> int:
        self._differences.catch_up()
        words = self._differences.words.get(address)
        word = None if words is None else words.get(slot)
        if word is None:
            present = self._now.storages.get(address)
            word = present.get(slot, 0) if present is not None else 0
        return word

    @undisturbed
    def addresses(self) -> Iterable[bytes]:
        self._differences.catch_up()
        now, then = self._now, self._differences
        return dict.fromkeys([*now.accounts, *now.storages, *then.accounts, *then.words])

    @undisturbed
    def slots_of(self, address: bytes) -> Iterable[int]:
        self._differences.catch_up()
        present, then = self._now.storages.get(address), self._differences.words.get(address)
        return dict.fromkeys([*(present or ()), *(then or ())])

    @property
    def _now(self) -> State:
        return self._differences.ledger.state


class PastStates:
    """The states of the past of one ledger."""

    def __init__(self, ledger: Changing) -> None:
        self._ledger = ledger
        self._all: WeakSet[_Differences] = WeakSet()
        self._idle: deque[_Differences] = deque(maxlen=_KEPT)

    def state(self, moment: int) -> State:
        """Return the state at an index of the timeline. The caller may change it."""
        state = self._ledger.state
        return overlay(PastState(self._at(moment), self._idle), state.codes, state.slots)

    def fork(self, moment: int) -> State:
        """Return an independent state, for another chain that continues from an index of the timeline."""
        if isinstance(self._ledger.state.accounts, dict):
            state = self.state(moment)
            state.codes, state.slots = state.codes.copy(), state.slots.copy()
            return state
        state = self._ledger.state.copy()  # of a fork: it needs no other state below
        for changes in reversed(self._ledger.timeline[moment:]):
            state.undo_changes(changes)
        return state

    def _at(self, moment: int) -> _Differences:
        """Return the differences at an index, derived from those nearest to it."""
        ledger, idle = self._ledger, self._idle.copy()
        end = len(ledger.timeline)
        makers: list[tuple[int, Callable[[], _Differences]]] = [
            (end - moment, lambda: _Differences(ledger, end))
        ]
        for known in list(self._all):
            if known.moment is None:
                continue
            cost = abs(moment - known.moment) + end - known.seen
            if known in idle:
                makers.append((cost, partial(self._take, known)))
            else:
                makers.append((cost + known.size // _COPIED, known.copy))
        _, make = min(makers, key=itemgetter(0))
        differences = make()
        differences.move(moment)
        self._all.add(differences)
        return differences

    def _take(self, differences: _Differences) -> _Differences:
        with suppress(ValueError):  # another one has just displaced it
            self._idle.remove(differences)
        return differences

    def truncate(self, end: int) -> None:
        """Keep all past states unchanged while the timeline is truncated."""
        for differences in list(self._all):
            differences.truncate(end)
