"""When each account and word changed, and its former value, by stretches of the timeline.

A past state looks up here what changed after its own stretch, so a distant one costs as much as a recent one, and the history
of a value goes back from change to change. The first query reads the timeline, and later queries read only what is new. A
chain's file holds the complete stretches (`chain.ledger.file.change_rows`), which are not read here.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Protocol, TypeAlias

from chain.ledger.timeline import Changing
from chain.machine.state import STORAGE, Changes, iter_changes

STRETCH: Final = 128  # moments

Place: TypeAlias = tuple[bytes, Any]  # an address, and the slot of a word or `ACCOUNT`
# The former value at each place; None if there was nothing.
Former: TypeAlias = dict[Place, Any]
# What was at each place before a stretch, and when in the stretch it changed: moments, counted from its beginning.
Changed: TypeAlias = dict[Place, tuple[Any, bytearray]]


def end_of_stretch(moment: int) -> int:
    """Return the moment at which the next stretch begins."""
    return (moment // STRETCH + 1) * STRETCH


class ChangedPlace(Protocol):
    """A place that changed in a stretch."""

    @property
    def stretch(self) -> int: ...
    @property
    def value(self) -> Any:
        """What was there before; None is nothing."""

    @property
    def offsets(self) -> Sequence[int]:
        """The moments at which it changed, counted from the beginning of the stretch."""


class StoredChanges(Protocol):
    """The index of the first stretches in a file."""

    @property
    def count(self) -> int:
        """The number of stretches."""

    def find(self, place: Place, first: int, end: int) -> ChangedPlace | None:
        """Return the first of these stretches in which a place changed; None if it did not change."""

    def places(self, first: int, end: int) -> Iterable[Place]:
        """Return the places that changed in these stretches."""

    def backwards(self, place: Place, end: int) -> Iterator[ChangedPlace]:
        """Yield the stretches before `end` in which a place changed, the last one first."""


class ChangeIndex:
    """The stretches of one ledger's timeline, as far as it was read."""

    def __init__(self, ledger: Changing) -> None:
        self._ledger = ledger
        self._file: StoredChanges | None = None
        self._stored = 0  # stretches that are in the file
        self._former: list[Former] = []  # by stretch, from `_stored` on
        self._stretches: defaultdict[Place, array[int]] = defaultdict(lambda: array("Q"))
        self._within: tuple[range, Changed] = range(0), {}  # the stretch that was searched last
        self._first: dict[Place, int] = {}  # moments that were asked for
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
                return (found.value,)
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

    def moments(self, place: Place, end: int) -> Iterator[int]:
        """Yield the moments before `end` at which a place changed, the last one first."""
        self.read(len(self._ledger.timeline))
        stretches = self._stretches.get(place, ())
        until = -(-end // STRETCH)
        for i in range(bisect_left(stretches, until) - 1, -1, -1):
            yield from self._moments(stretches[i], self._offsets(stretches[i], place), end)
        if self._file is not None:
            for found in self._file.backwards(place, min(until, self._stored)):
                yield from self._moments(found.stretch, found.offsets, end)

    def _moments(self, stretch: int, offsets: Sequence[int], end: int) -> Iterator[int]:
        start = stretch * STRETCH
        return (start + offset for offset in reversed(offsets) if start + offset < end)

    def first(self, place: Place) -> int | None:
        """Return the first moment at which a place changed; None if there is none."""
        self.read(len(self._ledger.timeline))
        if place not in self._first:
            found = None if self._file is None else self._file.find(place, 0, self._stored)
            if found is not None:
                self._first[place] = found.stretch * STRETCH + found.offsets[0]
            elif stretches := self._stretches.get(place):  # empty if its changes were undone
                self._first[place] = stretches[0] * STRETCH + self._offsets(stretches[0], place)[0]
        return self._first.get(place)

    def _offsets(self, stretch: int, place: Place) -> Sequence[int]:
        """Return when in a stretch a place changed. The last one is kept: the words of a value change together."""
        timeline = self._ledger.timeline
        moments = range(stretch * STRETCH, min((stretch + 1) * STRETCH, len(timeline)))
        if self._within[0] != moments:
            self._within = moments, changed_in(timeline[moments.start : moments.stop])
        return self._within[1][place][1]

    def truncate(self, moments: int) -> None:
        """Forget the stretches that a truncation of the timeline shortens. May be interrupted and repeated."""
        self._within = range(0), {}
        self._first.clear()
        end = moments // STRETCH
        for former in self._former[max(0, end - self._stored) :]:
            for place in former:
                stretches = self._stretches[place]
                del stretches[bisect_left(stretches, end) :]
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
                stretches = self._stretches[place]
                if not stretches or stretches[-1] < stretch:
                    stretches.append(stretch)
            self.done = moment + 1


def changed_in(stretch: Iterable[Changes]) -> Changed:
    """Return what was at each place before it changed in a stretch, and when it did."""
    changed: Changed = {}
    for offset, changes in enumerate(stretch):
        for address, slot, before, _ in each_change(changes):
            place = address, slot
            found = changed.get(place)
            if found is None:
                found = changed[place] = before, bytearray()
            offsets = found[1]
            if not offsets or offsets[-1] < offset:
                offsets.append(offset)
    return changed


def note_first_values(former: Former, moments: Iterable[Changes]) -> None:
    """Add the value at each place before the first of these changes, where `former` has none yet."""
    for changes in moments:
        for address, slot, before, _ in each_change(changes):
            former.setdefault((address, slot), before)


def each_change(changes: Changes) -> Iterator[tuple[bytes, Any, Any, Any]]:
    """Return the changes one by one; that of a whole storage as those of its words."""
    return _words_of(changes) if STORAGE in changes[1::4] else iter_changes(changes)


def _words_of(changes: Changes) -> Iterator[tuple[bytes, Any, Any, Any]]:
    for change in iter_changes(changes):
        address, slot, before, _ = change
        if slot is STORAGE:
            yield from ((address, key, word, None) for key, word in before)
        else:
            yield change
