"""The former values of accounts and words, by stretches of the timeline.

A past state looks up here what changed after its own stretch, so a distant one costs as much as a recent one. The first query
reads the timeline, and later queries read only what is new. A chain's file holds the complete stretches
(`chain.ledger.file.change_rows`), which are not read here.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, Final, Protocol, TypeAlias

from chain.ledger.indexes import append_position, new_positions, truncate_positions
from chain.ledger.timeline import Changing
from chain.machine.state import STORAGE, Changes, iter_changes

STRETCH: Final = 128  # moments

Place: TypeAlias = tuple[bytes, Any]  # an address, and the slot of a word or `ACCOUNT`
# The former value at each place; None if there was nothing.
Former: TypeAlias = dict[Place, Any]


def end_of_stretch(moment: int) -> int:
    """Return the moment at which the next stretch begins."""
    return (moment // STRETCH + 1) * STRETCH


class StoredChanges(Protocol):
    """The index of the first stretches in a file."""

    @property
    def count(self) -> int:
        """The number of stretches."""

    def find(self, place: Place, first: int, end: int) -> tuple[Any] | None:
        """Return the value at a place before it changed in these stretches; None if it did not change."""

    def places(self, first: int, end: int) -> Iterable[Place]:
        """Return the places that changed in these stretches."""


class ChangeIndex:
    """The stretches of one ledger's timeline, as far as it was read."""

    def __init__(self, ledger: Changing) -> None:
        self._ledger = ledger
        self._file: StoredChanges | None = None
        self._stored = 0  # stretches that are in the file
        self._former: list[Former] = []  # by stretch, from `_stored` on
        self._stretches: defaultdict[Place, Any] = defaultdict(new_positions)
        self.done = 0  # moments that were read

    def restore(self, file: StoredChanges) -> None:
        """Begin with the stretches in a file."""
        self._file, self._stored = file, file.count
        self.done = file.count * STRETCH

    def find(self, place: Place, moment: int) -> tuple[Any] | None:
        """Return the value at a place at the beginning of a stretch; None if it has not changed since."""
        self.read(len(self._ledger.timeline))
        first = moment // STRETCH
        if first < self._stored and self._file is not None:
            found = self._file.find(place, first, self._stored)
            if found is not None:
                return found
        stretches = self._stretches.get(place, ())
        i = bisect_left(stretches, first)
        if i == len(stretches):
            return None
        return (self._former[stretches[i] - self._stored][place],)

    def places(self, moment: int) -> Iterator[Place]:
        """Yield the places that changed since the beginning of a stretch; some several times."""
        self.read(len(self._ledger.timeline))
        first = moment // STRETCH
        if first < self._stored and self._file is not None:
            yield from self._file.places(first, self._stored)
        for former in self._former[max(0, first - self._stored) :]:
            yield from former

    def truncate(self, moments: int) -> None:
        """Forget the stretches that a truncation of the timeline shortens. May be interrupted and repeated."""
        end = moments // STRETCH
        for former in self._former[max(0, end - self._stored) :]:
            for place in former:
                truncate_positions(self._stretches[place], end)
        self.done = min(self.done, end * STRETCH)
        self._stored = min(self._stored, end)
        del self._former[end - self._stored :]

    def read(self, end: int) -> None:
        """Read the timeline up to `end`. After an interrupt, reading continues with the unfinished moment."""
        timeline = self._ledger.timeline
        for moment in range(self.done, end):
            stretch = moment // STRETCH
            if stretch == self._stored + len(self._former):
                self._former.append({})
            former = self._former[stretch - self._stored]
            for address, slot, before, _ in each_change(timeline[moment]):
                place = address, slot
                former.setdefault(place, before)
                append_position(self._stretches[place], stretch)
            self.done = moment + 1


def first_values(moments: Iterable[Changes]) -> Former:
    """Return the value at each place before the first of these changes."""
    former: Former = {}
    note_first_values(former, moments)
    return former


def note_first_values(former: Former, moments: Iterable[Changes]) -> None:
    """Add the value at each place before the first of these changes, where `former` has none yet."""
    for changes in moments:
        for address, slot, before, _ in each_change(changes):
            former.setdefault((address, slot), before)


def each_change(changes: Changes) -> Iterator[tuple[bytes, Any, Any, Any]]:
    """Yield the changes one by one; that of a whole storage as those of its words."""
    for change in iter_changes(changes):
        address, slot, before, _ = change
        if slot is STORAGE:
            yield from ((address, key, word, None) for key, word in before)
        else:
            yield change
