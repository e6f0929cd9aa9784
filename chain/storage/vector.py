"""`Vector`: a list in storage whose items are read and written one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableSequence, Sequence
from copy import deepcopy
from typing import Any, Generic, Self, SupportsIndex, TypeVar, overload

from chain.storage.collection import (
    CollectionLayout,
    P,
    Part,
    ReadItemKey,
    ReadKey,
    ReadValue,
    is_in_place,
)
from chain.storage.fields import Layout
from chain.storage.remembered import remembered
from chain.storage.unit_of_work import Holder, Place, UnitOfWork
from chain.values import ListType, ValueMismatch, ValueType
from chain.values.inputs import LAST_TIME, whole_number

T = TypeVar("T")


class Vector(Holder, MutableSequence[T], Generic[T]):
    """A list in storage, whose items are read and written one by one. A field `list[T]` is one.

    >>> self.rolls[0], self.rolls[-1], len(self.rolls), list(self.rolls)
    (4, 4, 1, [4])
    >>> self.rolls[0] = 6
    """

    __slots__ = ("_changed", "_count", "_rows")
    _example = "Vector[u8]"

    def __init__(self, work: UnitOfWork, slot: int, layout: VectorLayout) -> None:
        super().__init__(work, slot, layout)
        self._count = -1  # the number of items, once it was read
        # The frozen items that were read, by the index of their word; of items with words of their own, by their index.
        self._rows: dict[int, list[Any]] = {}
        self._changed: dict[
            int, None
        ] = {}  # the words of an open model that are written when it is closed

    def _forget(self) -> None:
        self._count = -1
        self._rows.clear()
        self._changed.clear()

    def _write(self) -> None:
        super()._write()
        if self._changed:
            words, layout = self._work.words, self._layout
            base = words.data_slot(self._slot)
            for row in self._changed:
                words.sstore(base + row, layout.whole.pack_row(self._rows[row]))
            self._changed.clear()

    def _place_of(self, key: int) -> tuple[Any, Place]:
        layout: VectorLayout = self._layout
        return layout.item, layout.place(self._work.words, self._slot, key)

    def _step_of(self, key: int) -> str:
        return f"[{key}]"

    def __len__(self) -> int:
        if self._count < 0 or self._work.is_outside:
            self._count = self._work.words.sload(self._slot)
        return self._count

    def _resize(self, count: int) -> None:
        self._work.words.sstore(self._slot, count)
        self._count = count

    @overload
    def __getitem__(self, index: SupportsIndex) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: Any) -> Any:
        count = len(self)
        if type(index) is not int or not 0 <= index < count:
            if isinstance(index, slice):
                return [self._item(i) for i in range(*index.indices(count))]
            index = self._position(index, count)
        return self._item(index)

    def _item(self, index: int) -> Any:
        layout: VectorLayout = self._layout
        if layout.is_live:
            return self._take(index)
        row, place = divmod(index, layout.per_word)
        items = self._rows.get(row)
        if items is None or self._work.is_outside:
            items = self._rows[row] = layout.row(self._work.words, self._slot, row)
        return items[place]

    @overload
    def __setitem__(self, index: SupportsIndex, value: T) -> None: ...
    @overload
    def __setitem__(self, index: slice, value: Iterable[T]) -> None: ...
    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            self._edit(lambda items: items.__setitem__(index, value))
        else:
            self._set(self._position(index, len(self)), value)

    def __delitem__(self, index: SupportsIndex | slice) -> None:
        self._edit(lambda items: items.__delitem__(index))

    def __iter__(self) -> Iterator[T]:
        index = 0
        while index < len(self):
            yield self._item(index)
            index += 1

    def __reversed__(self) -> Iterator[T]:
        return self._walk_back(len(self) - 1)

    def _walk_back(self, index: int) -> Iterator[T]:
        while 0 <= index < len(self):
            yield self._item(index)
            index -= 1

    def append(self, value: T) -> None:
        """Append an item.

        >>> self.rolls.append(2)
        """
        count = len(self)
        self._set(count, value)
        self._resize(count + 1)

    def insert(self, index: SupportsIndex, value: T) -> None:
        """Insert `value` before the item at `index`. Every later item is rewritten: `append` is cheaper.

        >>> self.rolls.insert(0, 1)
        """
        self._edit(lambda items: items.insert(index, value))

    def pop(self, index: SupportsIndex = -1) -> T:
        """Remove an item, by default the last one, and return it. Raise IndexError if there is none.

        >>> self.rolls.pop()
        4
        """
        count = len(self)
        position = self._position(index, count)
        value = self[position]
        if position == count - 1:
            self._cut(position, count)
        else:
            self._edit(lambda items: items.pop(position))
        return value

    def clear(self) -> None:
        """Remove all items.

        >>> self.rolls.clear()
        """
        self._cut(0, len(self))

    def sort(self, *, key: Callable[[T], Any] | None = None, reverse: bool = False) -> None:
        """Put the items in order, as a list does.

        >>> self.rolls.sort(reverse=True)
        """
        self._edit(lambda items: items.sort(key=key, reverse=reverse))

    def reverse(self) -> None:
        """Reverse the order of the items.

        >>> self.rolls.reverse()
        """
        self._edit(lambda items: items.reverse())

    def copy(self) -> list[T]:
        """Return the items as a list of its own.

        >>> self.rolls.copy()
        [4]
        """
        return self._items()

    def swap_remove(self, index: int) -> T:
        """Remove the item at `index` and return it. The last item takes its place, so the order changes.

        >>> self.rolls.swap_remove(0)
        4
        """
        position, last = self._position(index, len(self)), self.pop()
        if position == len(self):
            return last
        value = self[position]
        self[position] = last
        return value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, list | Vector):
            return NotImplemented
        return len(self) == len(other) and all(
            ours == theirs for ours, theirs in zip(self, other, strict=True)
        )

    def __lt__(self, other: Any) -> bool:
        return self._items() < [*other] if isinstance(other, list | Vector) else NotImplemented

    def __le__(self, other: Any) -> bool:
        return self._items() <= [*other] if isinstance(other, list | Vector) else NotImplemented

    def __gt__(self, other: Any) -> bool:
        return self._items() > [*other] if isinstance(other, list | Vector) else NotImplemented

    def __ge__(self, other: Any) -> bool:
        return self._items() >= [*other] if isinstance(other, list | Vector) else NotImplemented

    def __add__(self, other: Any) -> list[T]:
        return [*self, *other] if isinstance(other, list | Vector) else NotImplemented

    def __radd__(self, other: Any) -> list[T]:
        if not isinstance(other, list):
            return NotImplemented
        if not is_in_place():
            return other + self._items()
        other += self._items()
        return other

    def __mul__(self, count: SupportsIndex) -> list[T]:
        return self._items() * count

    __rmul__ = __mul__
    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> list[T]:
        return deepcopy(self._items(), memo)

    def __imul__(self, count: SupportsIndex) -> Self:
        self._edit(lambda items: items.__imul__(count))
        return self

    def __repr__(self) -> str:
        return repr(self._items())

    def _items(self) -> list[Any]:
        """Return all items."""
        layout: VectorLayout = self._layout
        if layout.is_live:
            return [*self]
        self._write()
        items: list[Any] = layout.whole.load(self._work.words, self._slot)
        return items

    def _position(self, index: SupportsIndex, count: int) -> int:
        """Return `index` as a position in a list of `count` items, or refuse it."""
        try:
            number = index.__index__()
        except AttributeError:
            raise TypeError(
                f"{self._layout.name}: a list is indexed by whole numbers, not by {index!r}"
            ) from None
        position = number + count if number < 0 else number
        if not 0 <= position < count:
            raise IndexError(f"{self._layout.name}: no item {number} in a list of {count}")
        return position

    def _set(self, position: int, value: T) -> None:
        layout: VectorLayout = self._layout
        if layout.is_live:
            self._assign(position, value)
            return
        self._require_writable()
        words, item, (row, place) = self._work.words, layout.item, divmod(position, layout.per_word)
        slot, items = words.data_slot(self._slot) + row * item.words, self._rows.get(row)
        try:
            if item.size is None:
                if items is None:
                    item.store(words, slot, value)
                else:
                    layout.known.change(words, slot, items[0], value)
                self._rows.pop(row, None)
                return
            number = item.pack(value)
        except ValueMismatch as error:
            raise error.prefixed(f"{self._layout.name}[{position}]") from None
        if layout.per_word == 1:
            words.sstore(slot, number)
            self._rows.pop(row, None)
            return
        if items is None or row not in self._changed:
            self._rows[row] = items = [*(items or layout.row(words, self._slot, row))]
        items[place] = item.unpack(number)
        if self._work.is_model:
            self._changed[row] = None
        else:
            shift = 8 * item.size * place
            words.sstore(slot, words.peek(slot) & layout.others[place] | number << shift)

    def _cut(self, first: int, count: int) -> None:
        """Remove all of `count` items from a position on."""
        if first == count:
            return
        self._require_writable()
        self._write()
        words, layout, item = self._work.words, self._layout, self._layout.item
        for row in range(first // layout.per_word, -(-count // layout.per_word)):
            self._rows.pop(row, None)
        if layout.is_live:
            for position in range(first, count):
                self._give_up(position)
        if item.size is None:
            for position in range(first, count):
                item.clear(words, layout.place(words, self._slot, position).slot)
        else:
            slot, shift = layout.place(words, self._slot, first)
            if shift:
                words.sstore(slot, words.sload(slot) & (1 << shift) - 1)
            for emptied in range(
                slot + (shift > 0), words.data_slot(self._slot) + -(-count // layout.per_word)
            ):
                words.sstore(emptied, 0)
        self._resize(first)

    def _edit(self, change: Callable[[list[Any]], object]) -> None:
        """Change all items as a list, and write those that are others now."""
        words, layout, before = self._work.words, self._layout, self._items()
        after = before.copy()
        change(after)
        known = {id(item) for item in before}
        for position, item in enumerate(after):
            if id(item) not in known:
                try:
                    layout.item.refuse_misfit(item)
                except ValueMismatch as error:
                    raise error.prefixed(f"{layout.name}[{position}]") from None
        self._require_writable()
        if not layout.is_live:
            self._forget()
            layout.overwrite(words, self._slot, after)
            return
        self._cut(len(after), max(len(before), len(after)))
        for position, item in enumerate(after):
            if position >= len(before) or item is not before[position]:
                self._assign(position, item)
        if len(after) > len(before):
            self._resize(len(after))


class VectorLayout(CollectionLayout):
    what = "list"
    collection = Vector
    expected = "is not a list"
    accepted = (list,)

    def __init__(self, name: str, item: Any) -> None:
        super().__init__(name, item)
        self.item, self.known = item, remembered(item)
        self.per_word = 32 // item.size if item.size else 1
        self.is_live: bool = item.is_changeable
        self.whole: Any = ListType(item) if isinstance(item, ValueType) else None
        # For each place in a word, a mask of all items but the one there.
        bits = 8 * (item.size or 32)
        self.others = [~((1 << bits) - 1 << bits * place) for place in range(self.per_word)]

    @classmethod
    def of(cls, name: str, parts: Sequence[P], key: ReadKey[P], value: ReadValue[P]) -> Self:
        return cls(name, value(f"{name}[…]", parts[0]))

    def step(self, key: object, path: str, read: ReadItemKey) -> tuple[object, Layout | None]:
        return whole_number(key, path, LAST_TIME), self.item

    def place(self, words: Any, slot: int, index: int) -> Place:
        """Return the place of item `index`."""
        base = words.data_slot(slot)
        if self.per_word == 1:
            return Place(base + index * self.item.words, 0)
        return Place(base + index // self.per_word, index % self.per_word * 8 * self.item.size)

    def row(self, words: Any, slot: int, index: int) -> list[Any]:
        """Return the items in a word, or the one that has words of its own."""
        place = words.data_slot(slot) + index * self.item.words
        if self.item.size is None:
            return [self.known.load(words, place)]
        items: list[Any] = self.whole.unpack_row(words.sload(place))
        return items

    def parts_of(self, value: Any) -> list[Part]:
        return [(f"[{index}]", self.item, item) for index, item in enumerate(value)]

    def check_items(self, value: Iterable[object]) -> None:
        for index, item in enumerate(value):
            try:
                self.item.refuse_misfit(item)
            except ValueMismatch as wrong:
                raise wrong.prefixed(f"[{index}]") from None

    def overwrite(self, words: Any, slot: int, value: Iterable[object]) -> None:
        items, count = [*value], words.peek(slot)
        if self.whole is not None:
            self.whole.settle(words, Place(slot), items)
            return
        for index, item in enumerate(items):
            self.item.settle(words, self.place(words, slot, index), item)
        for index in range(len(items), count):
            self.item.clear(words, self.place(words, slot, index).slot)
        if count != len(items):
            words.sstore(slot, len(items))

    def clear_item(self, words: Any, slot: int, index: int) -> None:
        place, size = self.place(words, slot, index), self.item.size
        if size is None:
            self.item.clear(words, place.slot)
        else:
            others = words.sload(place.slot) & ~((1 << 8 * size) - 1 << place.shift)
            words.sstore(place.slot, others)

    def clear(self, words: Any, slot: int) -> None:
        for used in [*self.used(words, slot)]:
            words.sstore(used, 0)

    def used(self, words: Any, slot: int) -> Iterable[int]:
        if self.whole is not None:
            used: list[int] = self.whole.used(words, slot)
            return used
        places = [self.place(words, slot, i).slot for i in range(words.sload(slot))]
        return [slot, *(used for place in places for used in self.item.used(words, place))]
