"""Past states. A word of the past has the value from before its next change.

A `PastState` is the state at an index of the timeline. It finds the next change of a word among the changes of the same stretch
of the timeline, or in the index of the later stretches; if there is none, the word has its present value. So a distant state
costs as much as a recent one, and later changes of the chain never show in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any
from weakref import WeakSet

from chain.foundation.atomic_steps import locked
from chain.foundation.thread_lock import ThreadLock
from chain.ledger.change_index import (
    ChangeIndex,
    Former,
    Place,
    each_change,
    end_of_stretch,
    note_first_values,
)
from chain.ledger.timeline import Changing
from chain.machine.overlay import OverlaidAccounts, overlay
from chain.machine.state import ACCOUNT, Account, State


class PastState:
    """The state at an index of the timeline: the base of an overlay."""

    __slots__ = ("__weakref__", "_former", "_index", "_ledger", "_moment", "_seen", "lock")

    def __init__(self, ledger: Changing, index: ChangeIndex, moment: int) -> None:
        self._ledger, self._index = ledger, index
        self.lock: ThreadLock = ledger.lock
        self._moment = self._seen = moment
        self._former: Former = {}  # what was at places that changed before the index `_seen`

    @locked
    def account(self, address: bytes) -> Account | None:
        account: Account | None = self._value((address, ACCOUNT))
        return account

    @locked
    def word(self, address: bytes, slot: int) -> int:
        return self._value((address, slot)) or 0

    @locked
    def addresses(self) -> Iterable[bytes]:
        now = self._ledger.state
        changed = (address for address, _ in self._changed())
        return dict.fromkeys([*now.accounts, *now.storages, *changed])

    @locked
    def slots_of(self, address: bytes) -> Iterable[int]:
        words = self._ledger.state.storages.get(address)
        changed = (slot for at, slot in self._changed() if at == address and slot is not ACCOUNT)
        return dict.fromkeys([*(words or ()), *changed])

    def keep(self, end: int) -> None:
        """Keep the values that a truncation of the timeline to `end` is about to undo. May be interrupted and repeated."""
        if end < self._moment:
            for address, slot in {
                (address, slot)
                for changes in self._ledger.timeline[end:]
                for address, slot, *_ in each_change(changes)
            }:
                self._former[address, slot] = self._value((address, slot))
            self._moment = end
        self._seen = min(self._seen, end)

    def _value(self, place: Place) -> Any:
        self._read_on()
        if place in self._former:
            return self._former[place]
        state = self._ledger.state
        end = end_of_stretch(self._moment)
        found = self._index.find(place, end) if end < len(self._ledger.timeline) else None
        if found is not None:
            return found[0]
        address, slot = place
        for changes in (state.closed, state.changes):  # of the running transaction
            for changed, at, before, _ in each_change(changes) if changes else ():
                if at == slot and changed == address:
                    return before
        if slot is ACCOUNT:
            return state.accounts.get(address)
        words = state.storages.get(address)
        return None if words is None else words.get(slot)

    def _changed(self) -> Iterable[Place]:
        """Return the places that changed since, or may have."""
        self._read_on()
        state = self._ledger.state
        running = (
            (address, slot)
            for changes in (state.closed, state.changes)
            for address, slot, *_ in each_change(changes)
        )
        return chain(self._former, self._index.places(end_of_stretch(self._moment)), running)

    def _read_on(self) -> None:
        """Read what is new in the same stretch."""
        timeline = self._ledger.timeline
        end = min(end_of_stretch(self._moment), len(timeline))
        if self._seen < end:
            note_first_values(self._former, timeline[self._seen : end])
            self._seen = end


class PastStates:
    """The states of the past of one ledger."""

    def __init__(self, ledger: Changing) -> None:
        self._ledger = ledger
        self.index = ChangeIndex(ledger)
        self._held: WeakSet[PastState] = WeakSet()

    def state(self, moment: int) -> State:
        """Return the state at an index of the timeline. The caller may change it."""
        past = PastState(self._ledger, self.index, moment)
        self._held.add(past)
        state = self._ledger.state
        return overlay(past, state.codes, state.slots)

    def fork(self, moment: int) -> State:
        """Return an independent state, for another chain that continues from an index of the timeline."""
        accounts = self._ledger.state.accounts
        if not (isinstance(accounts, OverlaidAccounts) and isinstance(accounts.base, PastState)):
            state = self.state(moment)
            state.codes, state.slots = state.codes.copy(), state.slots.copy()
            return state
        state = self._ledger.state.copy()  # of a fork: it needs no other state below
        for changes in reversed(self._ledger.timeline[moment:]):
            state.undo_changes(changes)
        return state

    def truncate(self, end: int) -> None:
        """Keep all past states unchanged while the timeline is truncated."""
        for past in list(self._held):
            past.keep(end)
        self.index.truncate(end)
