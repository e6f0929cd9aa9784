"""A model opened in place: its lists are read and written item by item, where they lie.

A whole model is read and written whole, which is right for small ones. A list of hundreds of items of which a call touches
a few is better opened: an item is read when it is first asked for, with those that share its word. What was set is merged
into its words when the scope ends, and nothing at all if it ends with an error.

    with self.world.in_place(UnionFind, board_id) as union_find:
        union_find.nodes_parents[7] = 3
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, NoReturn, TypeVar

from chain.abi import Misfit
from chain.layout import PackedLayout, SequenceLayout, Words
from chain.models import ModelSpec

M = TypeVar("M")
T = TypeVar("T")

Store = Callable[[ModelSpec, Words, int, Any], None]


class _Closed(dict[int, None]):
    def __setitem__(self, *_: object) -> NoReturn:
        raise TypeError("this model is not open any more: set its items inside the 'with'")


class Items(Generic[T]):
    """A list of a model that is open."""

    __slots__ = ("_changed", "_items", "_layout", "_length", "_slot", "_stored", "_words")

    def __init__(self, words: Words, slot: int, layout: SequenceLayout) -> None:
        self._words, self._slot, self._layout = words, slot, layout
        self._items: dict[int, T] = {}  # by place, those that were read or set
        self._changed: dict[int, None] = {}  # the places of those that were set
        self._length: int | None = None  # None until somebody asks
        self._stored = 0  # the length without what was appended

    def __len__(self) -> int:
        if self._length is None:
            self._length = self._stored = self._words.sload(self._slot)
        return self._length

    def __getitem__(self, index: int) -> T:
        try:
            return self._items[index]
        except KeyError:
            return self._items[self._find(index)]

    def __setitem__(self, index: int, value: T) -> None:
        if index not in self._items:
            index = self._find(index)
        self._changed[index] = None
        self._items[index] = value

    def __iter__(self) -> Iterator[T]:
        return (self[index] for index in range(len(self)))

    def append(self, value: T) -> None:
        index = len(self)
        self._changed[index] = None
        self._items[index] = value
        self._length = index + 1

    def _find(self, index: int) -> int:
        """The place of an item that is there, read by then."""
        count = len(self)
        place = index + count if index < 0 else index
        if not 0 <= place < count:
            raise IndexError(f"no item {index} in a list of {count}")
        if place not in self._items:
            self._read(place)
        return place

    def _read(self, place: int) -> None:
        words, item, per_word = self._words, self._layout.item, self._layout.per_word
        base = words.data_slot(self._slot)
        if per_word == 1:
            self._items[place] = item.load(words, base + place * item.words)
            return
        number = place // per_word
        first = number * per_word
        shared = self._layout.items_in(words.sload(base + number))
        self._items.update(enumerate(shared[: self._stored - first], first))

    @property
    def is_changed(self) -> bool:
        return bool(self._changed)

    def save(self, words: Words) -> None:
        """Write what was set, and its list's length if that grew."""
        base, item = words.data_slot(self._slot), self._layout.item
        try:
            for place in self._changed:
                if isinstance(item, PackedLayout):
                    self._merge(words, base, item, place)
                else:
                    item.store(words, base + place * item.words, self._items[place])
        except Misfit as wrong:
            raise wrong.under(f"[{place}]") from None
        if self._length != self._stored:
            words.sstore(self._slot, len(self))

    def close(self) -> None:
        self._changed = _Closed()


class InPlace(Generic[M]):
    """The scope in which a model is open. Members that are no lists are read at once, and written if they are set anew."""

    def __init__(
        self, spec: ModelSpec, words: Words, slot: int, keys: tuple[Any, ...],
        save: Callable[[Any, Store], None],
    ) -> None:  # fmt: skip
        self._save = save
        self._before = {
            name: Items(words, slot + at.word, layout)
            if isinstance(layout, SequenceLayout) and layout.kind.make is list
            else spec.load_member(words, slot, name)
            for name, layout, at in spec.members()
        }
        self._model: M = spec.make(keys, self._before.values())

    def __enter__(self) -> M:
        return self._model

    def __exit__(self, problem: type[BaseException] | None, *_: object) -> None:
        ...
