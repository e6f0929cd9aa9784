"""Models opened in place: their lists are read and written item by item.

Ordinarily a model is read and written as a whole, which is right for small ones. If a call touches a few items of a list of
hundreds, it is better to open the model: an item is read on first use, with those that share its word. When the scope ends,
the items that were set are merged into their words; if it ends with an error, nothing is written. Until then no other code in
the transaction may open or write that model, because one write would overwrite the other.

    with self.world.in_place(UnionFind, board_id) as union_find:
        union_find.nodes_parents[7] = 3
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from typing import Any, Final, Generic, NoReturn, TypeVar

from chain.machine.frame import Frame, TransactionContext
from chain.machine.gas import WARM
from chain.spec.models import ModelSpec, model_spec
from chain.values import Int, ListType, ValueMismatch
from chain.values.kind import Words

M = TypeVar("M")

Store = Callable[[ModelSpec, Words, int, object], None]
OpenKey = tuple[bytes, int]  # the address of a world, and the slot of an open model there
_Row = Sequence[Any] | dict[int, Any]  # items, by their place in a word
_NONE: Final = range(0)


class _Items:
    """The items of a list of an open model."""

    __slots__ = ("_changed", "_layout", "_positions", "_rows", "_slot", "_stored", "_words")

    def __init__(self, words: Words, slot: int, layout: ListType) -> None:
        self._words, self._slot, self._layout = words, slot, layout
        self._changed: dict[int, Any] = {}  # by position: the items that were set
        self._rows: dict[int, _Row] = {}  # by index: the items of the words that were read
        self._stored = -1  # the length in storage; -1 until it is read
        self._positions = _NONE  # all positions, once the length is read

    def __len__(self) -> int:
        if self._stored < 0:
            self._stored = self._words.sload(self._slot)
            self._positions = range(self._stored)
        return len(self._positions)

    def __getitem__(self, index: int) -> Any:
        changed = self._changed
        return changed[index] if index in changed else self._read(index)

    def __setitem__(self, index: int, value: Any) -> None:
        changed = self._changed
        if index not in changed and index not in self._positions:
            index = self._index(index)
        changed[index] = value

    def __iter__(self) -> Iterator[Any]:
        changed, count = self._changed, len(self)
        for index in range(count):
            yield changed[index] if index in changed else self._read(index)
            if len(self._positions) != count:
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
        count = len(self)
        position = index + count if index < 0 else index
        if not 0 <= position < count:
            raise IndexError(f"no item {index} in a list of {count}")
        return position

    def _read(self, index: int) -> Any:
        """Return an item that was not set by this index."""
        if index not in self._positions:
            index = self._index(index)
            if index in self._changed:
                return self._changed[index]
        per_word = self._layout.per_word
        row = self._rows.get(index // per_word)
        if row is None:
            row = self._read_row(index // per_word)
        return row[index % per_word]

    def _read_row(self, index: int) -> _Row:
        """Read the items that share a word, or the one that has words of its own."""
        words, layout = self._words, self._layout
        base = words.data_slot(self._slot)
        if layout.per_word == 1:
            row: _Row = [layout.item.load(words, base + index * layout.item.words)]
        else:
            word = words.sload(base + index)
            made_anew = layout.runs_author_code
            row = _ItemsOnce(layout, word) if made_anew else layout.unpack_row(word)
        self._rows[index] = row
        return row

    def pack(self) -> Iterable[tuple[int, object]]:
        """Return the items that were set, each with its position, checked and ready to be written."""
        packed, item = self._changed.copy(), self._layout.item
        greatest = item.highest if isinstance(item, Int) and not item.signed else -1
        base, find = self._words.data_slot(self._slot), self._words.data_slot
        for position, value in self._changed.items():
            # Most items are small numbers, which `pack` would return as they are.
            if type(value) is not int or not 0 <= value <= greatest:
                try:
                    packed[position] = (
                        item.pack(value)
                        if item.size
                        else item.words_of(value, base + position * item.words, find, {})
                    )
                except ValueMismatch as mismatch:
                    raise mismatch.prefixed(f"[{position}]") from None
        return packed.items()

    def write(self, words: Words, packed: Iterable[tuple[int, Any]]) -> None:
        """Write the packed items, and the length if it grew."""
        base, item = words.data_slot(self._slot), self._layout.item
        if item.size:
            self._merge(words, base, 8 * item.size, packed)
        else:
            for position, packed_item in packed:
                item.write(words, base + position * item.words, packed_item)
        count = len(self._positions)
        if count != self._stored:
            words.sstore(self._slot, count)

    def _merge(self, words: Words, base: int, bits: int, packed: Iterable[tuple[int, int]]) -> None:
        """Write items that share words, `bits` wide each: every word is read and written once."""
        per_word, others = self._layout.per_word, _other_items(bits)
        merged: dict[int, int] = {}
        for position, number in packed:
            index, place = position // per_word, position % per_word
            word = merged[index] if index in merged else words.sload(base + index)
            merged[index] = word & others[place] | number << place * bits
        for index, word in merged.items():
            words.sstore(base + index, word)


class OpenList(_Items):
    """A list of an open model."""

    __slots__ = ()

    def append(self, value: Any) -> None:
        index = len(self)
        self._changed[index] = value
        self._positions = range(index + 1)


class _ItemsOnce(dict[int, Any]):
    """The items of a word that the author's code makes: each is made when it is read, and only once."""

    def __init__(self, kind: ListType, word: int) -> None:
        self._kind, self._word = kind, word

    def __missing__(self, place: int) -> Any:
        item = self[place] = self._kind.unpack_item(self._word, place)
        return item


@cache
def _other_items(bits: int) -> list[int]:
    """Return for each place in a word a mask of all items but the one there."""
    return [2**256 - 1 & ~((1 << bits) - 1 << shift) for shift in range(0, 257 - bits, bits)]


class _Closed(dict[int, Any]):
    """The changed items after the scope has ended. It refuses new ones."""

    def __setitem__(self, *_: object) -> NoReturn:
        raise TypeError("this model is no longer open: set its items inside the 'with'")


_CLOSED: Final = _Closed()


class OpenModel(Generic[M]):
    """The scope in which a model is open.

    Members that are not lists are read at once, and written if another value is assigned. So is a list that is replaced.
    """

    __slots__ = ("_before", "_context", "_key", "_keys", "_model", "_save", "_spec", "_words")

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
        self._before = [
            OpenList(words, slot + word, load) if isinstance(load, ListType) else load(words, slot)
            for load, word in spec.open_members
        ]
        model: M = spec.build(self._keys, self._before)
        return model

    def __exit__(self, problem: type[BaseException] | None, *_: object) -> None:
        self._context.open_models -= {self._key}
        if problem is None:
            self._save_changes()
        for member in self._before:
            if type(member) is OpenList:
                changed = member._changed
                member._changed = _Closed(changed) if changed else _CLOSED

    def _save_changes(self) -> None:
        model = self._model
        spec = model_spec(type(model))
        if len(vars(model)) != spec.size:
            spec.require_members(model)
        replaced: list[str] = []
        changed: list[tuple[str, OpenList]] = []
        values = spec.values_of(model)
        for name, before, value in zip(spec.names, self._before, values, strict=True):
            if value is not before:
                replaced.append(name)
            elif type(before) is OpenList and before._changed:
                changed.append((name, before))
        if replaced or changed:
            self._save(model, partial(_store, replaced=replaced, changed=changed))


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


class BorrowedWords:
    """The words of the world for reads over a longer time. Each access is charged on its own."""

    __slots__ = ("_frame", "_words", "data_slot")

    def __init__(self, frame: Frame, words: Frame) -> None:
        self._frame, self._words = frame, words
        self.data_slot = words.data_slot

    def sload(self, slot: int) -> int:
        frame, words = self._frame, self._words
        words.gas = frame.gas - WARM
        try:
            return words.sload(slot)
        finally:
            frame.gas = words.gas

    def sstore(self, slot: int, word: int) -> NoReturn:
        raise AssertionError("an open model is written through its own frame")
