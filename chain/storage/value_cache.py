"""A cache of big values: those that a contract has changed, with the words that they are stored in.

Reading a record of sixty words costs little gas per word, but takes most of a call's time. So `change` caches the value it
wrote, together with all slots that reading it would access and their words. The next read returns the cached value if these
slots still hold these words, which is certain if no word of the state was changed since. Each word is accessed, warmed and
charged as in an ordinary read, so only the time differs. Only immutable values, tuples and frozen records, are cached, and
none that a read would return as something else (`chain.schema.exact_values`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias

from chain.schema.exact_values import IsExact, exactness
from chain.storage.dynamic import Writes
from chain.storage.layout import Layout, OptionLayout, RecordLayout, SequenceLayout, Words
from chain.storage.packing import store_word

_MOST: Final = 1 << 10  # values of one field
OfValues: TypeAlias = RecordLayout | SequenceLayout | OptionLayout  # layouts of cached values


class WriteJournal(Protocol):
    """The part of a state that the cache uses."""

    @property
    def changes(self) -> Sequence[object]: ...  # address, slot, before, after, address, slot, …
    @property
    def words_version(self) -> object: ...  # another object after each change of a word


class ContractWords(Words, Protocol):
    """The part of a contract's frame that the cache uses."""

    @property
    def address(self) -> bytes: ...
    @property
    def state(self) -> WriteJournal: ...
    @property
    def storage(self) -> Mapping[int, int]: ...
    def read_if_unchanged(self, words: dict[int, int], version: object) -> bool: ...
    def storage_matches(self, words: dict[int, int]) -> bool: ...


class CachedValue:
    """A value and the words that are read to load it, by slot."""

    __slots__ = ("heads", "value", "version", "words")

    def __init__(
        self, value: object, words: dict[int, int], heads: set[int], version: object
    ) -> None:
        self.value: Any = value
        self.words = words
        self.heads = heads  # the slots that determine how many others are read
        self.version = version  # a version of the state's words in which they were as here


class ValueCache:
    """A reader and writer of values of one layout that caches the changed ones by account and slot."""

    def __init__(self, layout: OfValues) -> None:
        self._layout = layout
        self._known: dict[tuple[bytes, int], CachedValue] = {}
        # The frame and the value of the last cached read, and the length of the journal then.
        self._looked: tuple[object, object, int] = (None, None, 0)
        self._is_exact: IsExact = self._check_first

    def _check_first(self, after: object, before: object) -> bool:
        """Make the check of changed values, and return its result."""
        self._is_exact = exactness(self._layout.kind)
        return self._is_exact(after, before)

    def load(self, frame: ContractWords, slot: int) -> Any:
        known = self._known
        entry = known.get((frame.address, slot)) if known else None
        if entry is not None and frame.read_if_unchanged(entry.words, entry.version):
            state = frame.state
            entry.version = state.words_version
            self._looked = frame, entry, len(state.changes)
            return entry.value
        return self._layout.load(frame, slot)

    def change(self, frame: ContractWords, slot: int, before: object, after: object) -> None:
        place = frame.address, slot
        entry = self._known.pop(place, None)
        if entry is None or entry.value is not before or not self._is_current(frame, entry):
            self._layout.change(frame, slot, before, after)
        else:
            written = self._write(frame, slot, before, after)
            reads_as_written = after is not None and self._is_exact(after, before)
            if reads_as_written and self._reads_same_slots(entry, slot, written):
                entry.words.update(written)  # it was taken out of the cache above
                entry.value, entry.version = after, frame.state.words_version
                self._known[place] = entry
                return
        self._keep(place, self._read(frame, slot))

    def _write(
        self, frame: ContractWords, slot: int, before: object, after: object
    ) -> dict[int, int]:
        """Do what the layout's `change` does, and return the written words by slot."""
        writes: Writes = []
        self._layout.plan(frame, slot, before, after, writes)
        written: dict[int, int] = {}
        for write, first_slot, packed in writes:
            if write is store_word:  # the most frequent one, without its calls
                frame.sstore(first_slot, packed)
                written[first_slot] = packed
            else:
                write(_Writer(frame, written), first_slot, packed)
        return written

    def _is_current(self, frame: ContractWords, known: CachedValue) -> bool:
        """Return True if the words of `known` are unchanged.

        Nothing needs to be read if this frame has just read them and has not written to them since.
        """
        (reader, read, length), self._looked = self._looked, (None, None, 0)
        if reader is frame and read is known:
            changes = frame.state.changes
            if len(changes) == length or known.words.keys().isdisjoint(changes[length + 1 :: 4]):
                return True
        return frame.storage_matches(known.words)

    def _keep(self, place: tuple[bytes, int], known: CachedValue) -> None:
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[place] = known

    def _read(self, frame: ContractWords, slot: int) -> CachedValue:
        """Read the value at `slot` again, with the words it is stored in."""
        reader = _Reader(frame)
        value = self._layout.load(reader, slot)
        version = frame.state.words_version
        return CachedValue(value, reader.words, reader.heads, version)

    def _reads_same_slots(self, known: CachedValue, slot: int, written: dict[int, int]) -> bool:
        """Return True if reading the changed value accesses the same slots as before.

        A value that grows writes new slots; a value that shrinks writes its head, and zeros over the removed part.
        """
        slots = written.keys()
        if not slots <= known.words.keys():
            return False
        if known.heads.isdisjoint(slots):
            return True
        own = range(slot, slot + self._layout.words)  # always read, whatever their words are
        return all(word or written_slot in own for written_slot, word in written.items())


class _Reader:
    """A frame for layouts that records what is read and charges no gas."""

    __slots__ = ("_data_slot", "_storage", "heads", "words")

    def __init__(self, frame: ContractWords) -> None:
        self._storage, self._data_slot = frame.storage, frame.data_slot
        self.words: dict[int, int] = {}
        self.heads: set[int] = set()

    def sload(self, slot: int) -> int:
        word = self.words[slot] = self._storage.get(slot, 0)
        return word

    def data_slot(self, slot: int) -> int:
        self.heads.add(slot)
        return self._data_slot(slot)


class _Writer:
    """A frame for layouts that records what is written."""

    __slots__ = ("_frame", "data_slot", "sload", "written")

    def __init__(self, frame: ContractWords, written: dict[int, int]) -> None:
        self._frame, self.written = frame, written
        self.sload, self.data_slot = frame.sload, frame.data_slot

    def sstore(self, slot: int, word: int) -> None:
        self._frame.sstore(slot, word)
        self.written[slot] = word


def cached(layout: Layout) -> ValueCache | Layout:
    """Return a cache for values of `layout` if they have words of their own and are immutable, otherwise `layout` itself."""
    if not isinstance(layout, OfValues):
        return layout
    inner = layout.item if isinstance(layout, OptionLayout) else layout
    is_cacheable = (
        isinstance(inner, RecordLayout | SequenceLayout)
        and _is_plain(inner)
        and not inner.kind.runs_author_code
    )
    return ValueCache(layout) if is_cacheable else layout


def _is_plain(layout: Layout) -> bool:
    """Return True if values of `layout` contain no list (records are frozen anyway) and no option with words of its own."""
    match layout:
        case RecordLayout():
            return all(map(_is_plain, layout.layouts))
        case SequenceLayout():
            return layout.kind.make is tuple and _is_plain(layout.item)
        case _:
            return not isinstance(layout, OptionLayout)
