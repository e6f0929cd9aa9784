"""Big values that need not be read again: what a contract changed and keeps, with the words it lies in.

To read a record of sixty words costs little gas per word, but most of a call's time. So `change` remembers the value that it
wrote, together with all slots that reading it would look at and the words that stand there. When the value is read next and
these slots hold these words, it is the one remembered. Each word is looked at, warmed and paid for as in any reading; nobody
can tell the difference but by the clock. Only values that cannot change, tuples and frozen records, are remembered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from chain.storage.layout import (
    Layout,
    OptionLayout,
    RecordLayout,
    SequenceLayout,
)

_MOST: Final = 1 << 10  # values of one field


class CachedValue(NamedTuple):
    """A value and the words that are read to have it, by slot."""

    value: Any
    words: dict[int, int]
    heads: frozenset[int]  # the slots that say how many others are read


class ValueCache:
    """Reads and changes values of one layout, and remembers those that were changed, by account and slot."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._known: dict[tuple[bytes, int], CachedValue] = {}
        self._looked: tuple[Any, Any, int] = (
            None,
            None,
            0,
        )  # who read what, how long the journal was

    def load(self, frame: Any, slot: int) -> Any:
        known = self._known.get((frame.address, slot))
        if known is not None and frame.read_if_unchanged(known.words):
            self._looked = frame, known, len(frame.state.changes)
            return known.value
        return self._layout.load(frame, slot)

    def change(self, frame: Any, slot: int, before: Any, after: Any) -> None:
        known = self._known.pop((frame.address, slot), None)
        if known is None or known.value is not before or not self._is_current(frame, known):
            self._layout.change(frame, slot, before, after)
            self._keep(frame, slot, self._read(frame, slot))
            return
        writer = _Writer(frame)
        self._layout.change(writer, slot, before, after)
        if after is not None and self._reads_same_slots(known, slot, writer.written):
            known = CachedValue(after, known.words | writer.written, known.heads)
        else:
            known = self._read(frame, slot)
        self._keep(frame, slot, known)

    def _is_current(self, frame: Any, known: CachedValue) -> bool:
        """Whether the words are as known: this frame has read them and nothing has written there since, or a look at each."""
        (reader, read, length), self._looked = self._looked, (None, None, 0)
        if reader is frame and read is known:
            written = frame.state.changes[length + 1 :: 4]
            if known.words.keys().isdisjoint(written):
                return True
        return bool(frame.storage_matches(known.words))

    def _keep(self, frame: Any, slot: int, known: CachedValue) -> None:
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[frame.address, slot] = known

    def _read(self, frame: Any, slot: int) -> CachedValue:
        reader = _Reader(frame)
        value = self._layout.load(reader, slot)
        return CachedValue(value, reader.words, frozenset(reader.heads))

    def _reads_same_slots(self, known: CachedValue, slot: int, written: dict[int, int]) -> bool:
        """Whether the same slots are read as before. What grows writes new ones; what shrinks writes its head
        and zeros over what it loses."""
        if not written.keys() <= known.words.keys():
            return False
        if known.heads.isdisjoint(written):
            return True
        own = range(slot, slot + self._layout.words)  # these are read whatever they hold
        return all(word or at in own for at, word in written.items())


class _Reader:
    """A frame as layouts see it, which notes what is read and asks no gas."""

    __slots__ = ("_data_slot", "_storage", "heads", "words")

    def __init__(self, frame: Any) -> None:
        self._storage: dict[int, int] = frame.storage
        self._data_slot: Callable[[int], int] = frame.data_slot
        self.words: dict[int, int] = {}
        self.heads: set[int] = set()

    def sload(self, slot: int) -> int:
        word = self.words[slot] = self._storage.get(slot, 0)
        return word

    def data_slot(self, slot: int) -> int:
        self.heads.add(slot)
        return self._data_slot(slot)


class _Writer:
    """A frame as layouts see it, which notes what is written."""

    __slots__ = ("_frame", "data_slot", "sload", "written")

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.sload, self.data_slot = frame.sload, frame.data_slot
        self.written: dict[int, int] = {}

    def sstore(self, slot: int, word: int) -> None:
        self._frame.sstore(slot, word)
        self.written[slot] = word


def cached(layout: Layout) -> ValueCache | Layout:
    """Where to read and change values of `layout`: in a memory, if they have words of their own and never change."""
    inner = layout.item if isinstance(layout, OptionLayout) else layout
    big = isinstance(inner, RecordLayout | SequenceLayout) and _is_plain(inner)
    return ValueCache(layout) if big else layout


def _is_plain(layout: Layout) -> bool:
    """Whether there is no list in such a value (records are frozen anyway), nor an option that hides words of its own."""
    match layout:
        case RecordLayout():
            return all(map(_is_plain, layout.layouts))
        case SequenceLayout():
            return layout.kind.make is tuple and _is_plain(layout.item)
        case _:
            return not isinstance(layout, OptionLayout)
