"""`Vector`: a list in storage whose items are read and written one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, Generic, Self, TypeVar

from chain.storage.collection_layout import CollectionLayout, P, ReadItemKey, ReadKey, ReadValue
from chain.storage.fields import Layout
from chain.storage.remembered import remembered
from chain.values import ValueMismatch
from chain.values.inputs import LAST_TIME, whole_number
from chain.values.kind import ReadableWords, Words
from chain.values.storage_collection import ITEMS_COMPARED, LIST_OF_IT, StorageCollection

T = TypeVar("T")


class Vector(StorageCollection, Generic[T]):
    """A list in storage whose items are read and written one by one. An index out of range raises IndexError.

    >>> self.rolls[0], self.rolls[-1], len(self.rolls), list(self.rolls)
    (4, 4, 1, [4])
    >>> self.rolls[0] = 6
    """

    __slots__ = ()
    _example = "Vector[u8]"
    _offers = (
        "it has append, extend, insert, pop, swap_remove, clear, slice, change, len and {it}[i],"
        " and 'for' iterates over it"
    )
    _compared = ITEMS_COMPARED
    _plural = "extend"
    _remedies: ClassVar = {
        "extend": "write {it}.extend(items)",  # of '+='
        "remove": "choose the item by its index: {it}.swap_remove(i), which puts the last item in its place",
        **dict.fromkeys(("index", "count", "copy"), LIST_OF_IT),
        "sort": "write 'for i, item in enumerate(sorted({it})): {it}[i] = item'",
        "reverse": "write 'for i, item in enumerate(list({it})[::-1]): {it}[i] = item'",
    }

    def __len__(self) -> int:
        length: int = self._frame.sload(self._slot)
        return length

    def __getitem__(self, index: int) -> T:
        frame, slot, layout = self._frame, self._slot, self._layout
        count = frame.sload(slot)
        if type(index) is not int or not 0 <= index < count:
            index = self._position(index, count)
        item: T = layout.load_item(frame, slot, index)
        return item

    def __setitem__(self, index: int, value: T) -> None:
        position = self._index(index)
        frame, slot, layout = self._frame, self._slot, self._layout
        layout.write_item(frame, slot, position, layout.pack_item(frame, slot, position, value))

    def __iter__(self) -> Iterator[T]:
        return self._walk(len(self), len(self._frame.journal))

    def _walk(self, count: int, seen: int) -> Iterator[T]:
        """Return the items in order. Each step reads the length, as indexing does. `seen` is the length of the journal."""
        frame, slot, load = self._frame, self._slot, self._layout.load_item
        journal = frame.journal
        for index in range(count):
            if frame.sload(slot) != count:
                self._refuse_change()
            yield load(frame, slot, index)
            if len(journal) != seen:
                if slot in journal[seen + 1 :: 4]:  # this slot, perhaps of another account
                    self._require_same_items(seen)
                seen = len(journal)

    def change(self, index: int, before: T, after: T) -> None:
        """Write only the parts of `after` that differ from `before`, the item as it was read.

        >>> self.rolls.change(0, 4, 5)
        """
        frame, slot = self._frame, self._slot
        count = frame.sload(slot)
        if type(index) is not int or not 0 <= index < count:
            index = self._position(index, count)
        self._layout.change_item(frame, slot, index, before, after)

    def append(self, value: T) -> None:
        """Append an item.

        >>> self.rolls.append(2)
        """
        frame, slot, layout, count = self._frame, self._slot, self._layout, len(self)
        packed = layout.pack_item(frame, slot, count, value)
        frame.sstore(slot, count + 1)
        layout.write_item(frame, slot, count, packed)

    def extend(self, items: Iterable[T]) -> None:
        """Append each of `items`.

        >>> self.rolls.extend([5, 6])
        """
        for item in items:
            self.append(item)

    def insert(self, index: int, value: T) -> None:
        """Insert `value` before the item at `index`. Every later item is rewritten: `append` is cheaper.

        >>> self.rolls.insert(0, 1)
        """
        count = len(self)
        start, _, _ = slice(self._whole(index), None).indices(count)
        self.append(value)
        for i in range(count, start, -1):
            self[i] = self[i - 1]
        self[start] = value

    def swap_remove(self, index: int) -> T:
        """Remove the item at `index` and return it. The last item takes its place, so the order changes.

        >>> self.rolls.swap_remove(0)
        4
        """
        position = self._index(index)
        value, last = self[position], self.pop()
        if position < len(self):
            self[position] = last
        return value

    def clear(self) -> None:
        """Remove all items.

        >>> self.rolls.clear()
        """
        count = len(self)
        for index in range(count):
            self._layout.clear_item(self._frame, self._slot, index)
        self._frame.sstore(self._slot, 0)

    def slice(self, start: int = 0, stop: int | None = None) -> list[T]:
        """Return the items from `start` to before `stop` as a list, like `list(items)[start:stop]`, but read only these.

        >>> self.rolls.slice(0, 2)
        [4]
        """
        end = None if stop is None else self._whole(stop)
        first, after, _ = slice(self._whole(start), end).indices(len(self))
        return [self._layout.load_item(self._frame, self._slot, i) for i in range(first, after)]

    def pop(self) -> T:
        """Remove the last item and return it. Raise IndexError if there is none.

        >>> self.rolls.pop()
        4
        """
        last = len(self) - 1
        value = self[last]
        self._layout.clear_item(self._frame, self._slot, last)
        self._frame.sstore(self._slot, last)
        return value

    def _index(self, index: int) -> int:
        """Return `index` as a position from 0 on, or refuse it."""
        return self._position(index, self._frame.sload(self._slot))

    def _position(self, index: int, count: int) -> int:
        """Return `index` as a position in a list of `count` items, or refuse it."""
        if type(index) is not int:
            self._whole(index)
        position = index + count if index < 0 else index
        if not 0 <= position < count:
            raise IndexError(f"{self._layout.name}: no item {index} in a Vector of {count}")
        return position

    def _whole(self, index: int) -> int:
        """Return `index` if it is a whole number."""
        if isinstance(index, slice):
            self._refuse(f"a {self._what} has no [a:b]: write {{it}}.slice(a, b)")
        if not isinstance(index, int):
            raise TypeError(
                f"{self._layout.name}: a Vector is indexed by whole numbers, not by {index!r}"
            )
        return index

    def __repr__(self) -> str:
        return f"<Vector {self._layout.name} of {len(self)}>"


class VectorLayout(CollectionLayout):
    collection = Vector

    def __init__(self, name: str, item: Any) -> None:
        super().__init__(name, item)
        self.item, self.known = item, remembered(item)
        self.per_word = 32 // item.size if item.size else 1

    @classmethod
    def of(cls, name: str, parts: Sequence[P], key: ReadKey[P], value: ReadValue[P]) -> Self:
        return cls(name, value(name, parts[0]))

    def step(self, key: object, path: str, read: ReadItemKey) -> tuple[object, Layout | None]:
        return whole_number(key, path, LAST_TIME), self.item

    def load_item(self, frame: ReadableWords, slot: int, index: int) -> object:
        word, shift = self._word_and_shift(frame, slot, index)
        if self.per_word == 1:
            return self.known.load(frame, word)
        return self.item.unpack(frame.sload(word) >> shift)

    def pack_item(self, frame: Words, slot: int, index: int, value: object) -> Any:
        """Return `value` ready to be written as item `index`: as a number, or as its words by slot."""
        try:
            if self.item.size:
                return self.item.pack(value)
            word, _ = self._word_and_shift(frame, slot, index)
            return self.item.words_of(value, word, frame.data_slot, {})
        except ValueMismatch as error:
            raise error.prefixed(f"{self.name}[{index}]") from None

    def write_item(self, frame: Words, slot: int, index: int, packed: Any) -> None:
        word, shift = self._word_and_shift(frame, slot, index)
        if not self.item.size:
            self.item.write(frame, word, packed)
        elif self.per_word == 1:
            frame.sstore(word, packed)
        else:
            mask = (1 << 8 * self.item.size) - 1 << shift
            frame.sstore(word, frame.sload(word) & ~mask | packed << shift)

    def change_item(
        self, frame: Words, slot: int, index: int, before: object, after: object
    ) -> None:
        if self.item.size is not None:
            self.write_item(frame, slot, index, self.pack_item(frame, slot, index, after))
            return
        try:
            self.known.change(frame, self._word_and_shift(frame, slot, index)[0], before, after)
        except ValueMismatch as error:
            raise error.prefixed(f"{self.name}[{index}]") from None

    def clear_item(self, frame: Words, slot: int, index: int) -> None:
        if self.item.size:
            self.write_item(frame, slot, index, 0)
        else:
            self.item.clear(frame, self._word_and_shift(frame, slot, index)[0])

    def _word_and_shift(self, frame: ReadableWords, slot: int, index: int) -> tuple[int, int]:
        """Return the slot of item `index`, and the bit in that word where the item begins."""
        base = frame.data_slot(slot)
        if self.per_word == 1:
            return base + index * self.item.words, 0
        return base + index // self.per_word, index % self.per_word * 8 * self.item.size
