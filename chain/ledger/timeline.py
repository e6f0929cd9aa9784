"""The timeline: everything that ever changed the state, one list of changes per transaction, and one per note.

A note is a change that was made outside of transactions. An index into the timeline identifies a state; the code calls it a
moment.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Self, TypeAlias

from chain.ledger.file.pages import Lazy
from chain.ledger.rows import Rows
from chain.machine.state import STORAGE, Changes, iter_changes

Place: TypeAlias = tuple[bytes, Any]  # an address, and the slot of a word or `ACCOUNT`
# The former value at each place; None if there was nothing.
Former: TypeAlias = dict[Place, Any]


class Timeline(Rows[Changes]):
    """The changes of all transactions and notes, in order."""

    __slots__ = ("notes",)

    def __init__(self, stored: Sequence[Changes] = (), notes: Iterable[int] = ()) -> None:
        super().__init__(stored)
        self.notes = [*notes]  # the moments of the notes, ascending

    def add_note(self, changes: Changes) -> None:
        self.notes.append(len(self))
        self.new.append(changes)

    def notes_from(self, moment: int) -> list[int]:
        """Return the moments of the notes from `moment` on."""
        return self.notes[bisect_left(self.notes, moment) :]

    def moment_of(self, position: int) -> int:
        """Return the moment of the receipt at a position."""
        notes = self.notes
        return position + bisect_right(range(len(notes)), position, key=lambda i: notes[i] - i)

    def receipt_at(self, moment: int) -> int | None:
        """Return the position of the receipt at a moment; None for a note."""
        notes_before = bisect_left(self.notes, moment)
        is_note = notes_before < len(self.notes) and self.notes[notes_before] == moment
        return None if is_note else moment - notes_before

    def truncate(self, moments: int) -> None:
        """Keep the first `moments` items. May be interrupted and repeated."""
        del self.notes[bisect_left(self.notes, moments) :]
        self.cut(moments)

    def copy(self, length: int) -> Self:
        """Return a copy of the first `length` items."""
        duplicate = super().copy(length)
        duplicate.notes = self.notes[: bisect_left(self.notes, length)]
        return duplicate


class StoredTimeline(Lazy[Changes]):
    """The changes of stored receipts, by position, and between them the notes, by moment."""

    def __init__(
        self, count: int, changes: Callable[[int], Changes],
        notes: Sequence[int], note: Callable[[int], Changes],
    ) -> None:  # fmt: skip
        self._count, self._changes, self._notes, self._note = count, changes, notes, note

    def __len__(self) -> int:
        return self._count + len(self._notes)

    def item(self, place: int) -> Changes:
        before = bisect_left(self._notes, place)
        is_note = before < len(self._notes) and self._notes[before] == place
        return self._note(place) if is_note else self._changes(place - before)


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
