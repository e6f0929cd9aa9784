"""The timeline: everything that ever changed the state, one list of changes per transaction, and one per note.

A note is a change that was made outside of transactions. An index into the timeline identifies a state; the code calls it a
moment.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Protocol, Self

from chain.foundation.thread_lock import ThreadLock
from chain.ledger.rows import Rows
from chain.machine.state import Changes, State


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


class Changing(Protocol):
    """A state and its history: the part of a ledger that knows earlier values."""

    @property
    def lock(self) -> ThreadLock: ...
    @property
    def state(self) -> State: ...
    @property
    def timeline(self) -> Timeline: ...
