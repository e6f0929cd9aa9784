"""Models opened in place: their lists are read and written item by item.

Ordinarily a model is read and written as a whole, which is right for small ones. If a call touches a few items of a list of
hundreds, it is better to open the model: an item is read on first use, with those that share its word. When the scope ends,
the items that were set are merged into their words; if it ends with an error, nothing is written. Until then no other code in
the transaction may open or write that model, because one write would overwrite the other.

    with self.world.in_place(UnionFind, board_id) as union_find:
        union_find.nodes_parents[7] = 3
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any, Final, Generic, NoReturn, TypeVar

from chain.machine.frame import TransactionContext
from chain.schema.validation import ValueMismatch
from chain.spec.models import ModelSpec, model_spec
from chain.storage.layout import PackedLayout, SequenceLayout, Words

M = TypeVar("M")

Store = Callable[[ModelSpec, Words, int, object], None]
OpenKey = tuple[bytes, int]  # the address of a world, and the slot of an open model there


class _Items:
    """The items of a list of an open model."""

    __slots__ = (
        "_base",
        "_changed",
        "_items",
        "_layout",
        "_length",
        "_rows",
        "_slot",
        "_stored",
        "_words",
    )

    def __init__(self, words: Words, slot: int, layout: SequenceLayout) -> None:
        self._words, self._slot, self._layout = words, slot, layout
        self._items: dict[int, Any] = {}  # by position: the items that were read or set
        self._rows: dict[int, Sequence[Any]] = {}  # by index: the items of the words that were read
        self._changed: dict[int, None] = {}  # the positions of the items that were set, in order
        self._base: int | None = None  # the first slot of the items; None until one is read
        self._length: int | None = None  # None until it is read
        self._stored = 0  # the length in storage, without appended items

    def __len__(self) -> int:
        if self._length is None:
            self._length = self._stored = self._words.sload(self._slot)
        return self._length

    def __getitem__(self, index: int) -> Any:
        items = self._items
        return items[index] if index in items else self._read(index)

    def __setitem__(self, index: int, value: Any) -> None:
        items = self._items
        if index not in items:
            index = self._index(index)
        self._changed[index] = None
        items[index] = value

    def __iter__(self) -> Iterator[Any]:
        items = self._items
        count = len(self)
        for index in range(count):
            yield items[index] if index in items else self._read(index)
            if self._length != count:
                raise RuntimeError(
                    "this list grew during the iteration: iterate over a copy, list(…)"
                )

    def __eq__(self, other: object) -> bool:
        raise TypeError("a list of an open model cannot be compared: write list(…) == […]")

    def _missing(self, name: str) -> str:
        return (
            f"a list of an open model has no '{name}': it has append, len and items by index; for "
            "anything else assign a new list to the member"
        )

    def __repr__(self) -> str:
        return repr([*self])

    def _index(self, index: int) -> int:
        """Return `index` as a position from 0 on, or refuse it."""
        count = self._length
        if count is None:
            count = len(self)
        position = index + count if index < 0 else index
        if not 0 <= position < count:
            raise IndexError(f"no item {index} in a list of {count}")
        return position

    def _read(self, index: int) -> Any:
        """Return an item that was not read by this index before."""
        position, items = self._index(index), self._items
        if position in items:
            return items[position]
        layout, base = self._layout, self._base
        if base is None:
            base = self._base = self._words.data_slot(self._slot)
        per_word = layout.per_word
        if per_word == 1:
            item = layout.item.load(self._words, base + position * layout.item.words)
        else:
            index = position // per_word
            row = self._rows.get(index)
            if row is None:
                row = layout.unpack_row(self._words.sload(base + index))
                self._rows[index] = row
            item = row[position % per_word]
        items[position] = item
        return item

    def pack(self) -> list[tuple[int, object]]:
        """Return the items that were set, each with its position, checked and ready to be written."""
        packed: list[tuple[int, object]] = []
        items, layout = self._items, self._layout
        for position in self._changed:
            value: Any = items[position]
            # Most items are small numbers, which `pack` would return as they are.
            if type(value) is not int or not 0 <= value <= layout.greatest:
                try:
                    value = layout.item.pack(value)
                except ValueMismatch as mismatch:
                    raise mismatch.prefixed(f"[{position}]") from None
            packed.append((position, value))
        return packed

    def write(self, words: Words, packed: list[tuple[int, Any]]) -> None:
        """Write the packed items, and the length if it grew."""
        base, item = words.data_slot(self._slot), self._layout.item
        if isinstance(item, PackedLayout):
            self._merge(words, base, 8 * (item.size or 0), packed)
        else:
            for position, packed_item in packed:
                item.write(words, base + position * item.words, packed_item)
        if self._length != self._stored:
            words.sstore(self._slot, len(self))

    def _merge(self, words: Words, base: int, bits: int, packed: list[tuple[int, int]]) -> None:
        """Write items that share words, `bits` wide each: every word is read and written once."""
        per_word, others, merged = self._layout.per_word, _other_items(bits), dict[int, int]()
        for position, number in packed:
            index, place = position // per_word, position % per_word
            word = merged[index] if index in merged else words.sload(base + index)
            merged[index] = word & others[place] | number << place * bits
        for index, word in merged.items():
            words.sstore(base + index, word)


class OpenList(_Items):
    """A list of an open model: a Python class, as error texts name it, over the C structure of the compiled core."""

    __slots__ = ()

    def append(self, value: Any) -> None:
        index = len(self)
        self._changed[index] = None
        self._items[index] = value
        self._length = index + 1


@cache
def _other_items(bits: int) -> list[int]:
    """Return for each place in a word a mask of all items but the one there."""
    return [2**256 - 1 & ~((1 << bits) - 1 << shift) for shift in range(0, 257 - bits, bits)]


class _Closed(dict[int, None]):
    """Stands in for the changed positions after the scope has ended, and refuses new ones."""

    def __setitem__(self, *_: object) -> NoReturn:
        raise TypeError("this model is no longer open: set its items inside the 'with'")


_CLOSED: Final = _Closed()


class OpenModel(Generic[M]):
    """The scope in which a model is open.

    Members that are not lists are read at once, and written if another value is assigned. So is a list that is replaced.
    """

    __slots__ = (
        "_before",
        "_context",
        "_key",
        "_keys",
        "_lists",
        "_model",
        "_save",
        "_spec",
        "_words",
    )

    def __init__(
        self, spec: ModelSpec, words: Words, key: OpenKey, keys: tuple[object, ...],
        save: Callable[[object, Store], None], context: TransactionContext,
    ) -> None:  # fmt: skip
        self._spec, self._words, self._key, self._keys = spec, words, key, keys
        self._save, self._context = save, context

    def __enter__(self) -> M:
        if self._key in self._context.open_models:
            raise TypeError(
                f"{self._spec.name}{self._keys} is open already: use the model of that 'with', or end it first"
            )
        self._model: M = self._load()
        self._context.open_models |= {self._key}
        return self._model

    def _load(self) -> M:
        spec, words, (_, slot) = self._spec, self._words, self._key
        self._lists: list[OpenList] = []
        self._before: list[object] = []
        for load, word in spec.open_members:
            if isinstance(load, SequenceLayout):
                items: OpenList = OpenList(words, slot + word, load)
                self._lists.append(items)
                self._before.append(items)
            else:
                self._before.append(load(words, slot))
        model: M = spec.build(self._keys, self._before)
        return model

    def __exit__(self, problem: type[BaseException] | None, *_: object) -> None:
        self._context.open_models -= {self._key}
        if problem is None:
            model = self._model
            spec = model_spec(type(model))
            if len(vars(model)) != spec.size:
                spec.require_members(model)
            replaced, changed = list[str](), list[tuple[str, OpenList]]()
            for name, before, value in zip(
                spec.names, self._before, spec.values_of(model), strict=True
            ):
                if value is not before:
                    replaced.append(name)
                elif type(before) is OpenList and before._changed:
                    changed.append((name, before))
            if replaced or changed:
                self._save(model, partial(_store, replaced=replaced, changed=changed))
        for items in self._lists:
            items._changed = _CLOSED  # it refuses changes from now on


def _store(
    spec: ModelSpec, words: Words, slot: int, model: object, *,
    replaced: list[str], changed: list[tuple[str, OpenList]],
) -> None:  # fmt: skip
    """Pack all changes, so that a value that does not fit leaves nothing half written; then write them."""
    packed = []
    for name, items in changed:
        try:
            packed.append((items, items.pack()))
        except ValueMismatch as mismatch:
            raise mismatch.prefixed(f"{spec.name}.{name}") from None
    spec.store_members(words, slot, model, tuple(replaced))
    for items, packed_items in packed:
        items.write(words, packed_items)
