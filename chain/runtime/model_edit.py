"""A model opened in place: its lists are read and written item by item, where they lie.

A whole model is read and written whole, which is right for small ones. A list of hundreds of items of which a call touches
a few is better opened: an item is read when it is first asked for, with those that share its word. What was set is merged
into its words when the scope ends, and nothing at all if it ends with an error. Until then nobody else in the transaction may
open or write that model: what one of them sets, the other would write over.

    with self.world.in_place(UnionFind, board_id) as union_find:
        union_find.nodes_parents[7] = 3
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Generic, NoReturn, TypeVar

from chain.machine.frame import TransactionContext
from chain.schema.validation import ValueMismatch
from chain.spec.models import (
    ModelSpec,
    model_spec,
)
from chain.storage.layout import (
    PackedLayout,
    SequenceLayout,
    Words,
)

M = TypeVar("M")
T = TypeVar("T")

Store = Callable[[ModelSpec, Words, int, Any], None]
OpenKey = tuple[bytes, int]  # the address of a world, and the slot of an open model there


class OpenList(Generic[T]):
    """A list of a model that is open."""

    __slots__ = (
        "_base",
        "_changed",
        "_items",
        "_layout",
        "_length",
        "_shared",
        "_slot",
        "_stored",
        "_words",
    )

    def __init__(self, words: Words, slot: int, layout: SequenceLayout) -> None:
        self._words, self._slot, self._layout = words, slot, layout
        self._items: dict[int, T] = {}  # by place, those that were asked for or set
        self._shared: dict[int, list[T]] = {}  # by its number, what lies in a word that was read
        self._changed: dict[int, None] = {}  # the places of those that were set
        self._base: int | None = None  # where the items begin; None until one is read
        self._length: int | None = None  # None until somebody asks
        self._stored = 0  # the length without what was appended

    def __len__(self) -> int:
        if self._length is None:
            self._length = self._stored = self._words.sload(self._slot)
        return self._length

    def __getitem__(self, index: int) -> T:
        items = self._items
        if index in items:
            return items[index]
        place = self._place(index)
        if place not in items:
            items[place] = self._read(place)
        return items[place]

    def __setitem__(self, index: int, value: T) -> None:
        place = index if index in self._items else self._place(index)
        self._changed[place] = None
        self._items[place] = value

    def __iter__(self) -> Iterator[T]:
        items = self._items
        count = len(self)
        for index in range(count):
            yield items[index] if index in items else self[index]
            if self._length != count:
                raise RuntimeError(
                    "this list grew while it was walked through: walk through list(…) of it"
                )

    def append(self, value: T) -> None:
        index = len(self)
        self._changed[index] = None
        self._items[index] = value
        self._length = index + 1

    def __eq__(self, other: object) -> bool:
        raise TypeError("a list of an open model is not compared: write list(…) == […]")

    def _missing(self, name: str) -> str:
        return (
            f"a list of an open model has no '{name}': it has append, len and items by number;"
            " for all else assign a new list to the member"
        )

    def __repr__(self) -> str:
        return repr([*self])

    def _place(self, index: int) -> int:
        """The place of an item that is there."""
        count = self._length
        if count is None:
            count = len(self)
        place = index + count if index < 0 else index
        if not 0 <= place < count:
            raise IndexError(f"no item {index} in a list of {count}")
        return place

    def _read(self, place: int) -> T:
        words, layout, base = self._words, self._layout, self._base
        if base is None:
            base = self._base = words.data_slot(self._slot)
        if layout.per_word == 1:
            item: T = layout.item.load(words, base + place * layout.item.words)
            return item
        number, at = divmod(place, layout.per_word)
        shared = self._shared.get(number)
        if shared is None:
            shared = self._shared[number] = layout.unpack_word(words.sload(base + number))
        return shared[at]

    @property
    def is_changed(self) -> bool:
        return bool(self._changed)

    def pack(self) -> list[tuple[int, Any]]:
        """What was set, each with its place, checked and ready to be written."""
        packed = []
        for place in self._changed:
            try:
                packed.append((place, self._layout.item.pack(self._items[place])))
            except ValueMismatch as wrong:
                raise wrong.prefixed(f"[{place}]") from None
        return packed

    def write(self, words: Words, packed: list[tuple[int, Any]]) -> None:
        """Write what was packed, and the length if that grew."""
        base, item = words.data_slot(self._slot), self._layout.item
        if isinstance(item, PackedLayout):
            self._merge(words, base, 8 * (item.size or 0), packed)
        else:
            for place, ready in packed:
                item.write(words, base + place * item.words, ready)
        if self._length != self._stored:
            words.sstore(self._slot, len(self))

    def _merge(self, words: Words, base: int, bits: int, packed: list[tuple[int, int]]) -> None:
        per_word, mask, merged = self._layout.per_word, (1 << bits) - 1, dict[int, int]()
        for place, number in packed:
            slot, shift = base + place // per_word, place % per_word * bits
            word = merged[slot] if slot in merged else words.sload(slot)
            merged[slot] = word & ~(mask << shift) | number << shift
        for slot, word in merged.items():
            words.sstore(slot, word)

    def freeze(self) -> None:
        self._changed = _Closed()


class _Closed(dict[int, None]):
    def __setitem__(self, *_: object) -> NoReturn:
        raise TypeError("this model is not open any more: set its items inside the 'with'")


class OpenModel(Generic[M]):
    """The scope in which a model is open.

    Members that are no lists are read at once, and written if they are set anew; so is a list if another takes its place.
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
        self, spec: ModelSpec, words: Words, key: OpenKey, keys: tuple[Any, ...],
        save: Callable[[Any, Store], None], context: TransactionContext,
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
        self._lists: list[tuple[str, OpenList[Any]]] = []
        self._before: list[tuple[str, Any]] = []
        for name, layout, word in spec.open_members:
            if isinstance(layout, SequenceLayout) and layout.kind.make is list:
                items: OpenList[Any] = OpenList(words, slot + word, layout)
                self._lists.append((name, items))
                self._before.append((name, items))
            elif isinstance(layout, PackedLayout):
                self._before.append((name, spec.load_member(words, slot, name)))
            else:
                self._before.append((name, layout.load(words, slot + word)))
        made: M = spec.build(self._keys, tuple([value for _, value in self._before]))
        return made

    def __exit__(self, problem: type[BaseException] | None, *_: object) -> None:
        self._context.open_models -= {self._key}
        if problem is None:
            model = self._model
            spec = model_spec(type(model))
            if len(vars(model)) != spec.size:
                spec.refuse_strangers(model)
            replaced = [name for name, was in self._before if getattr(model, name) is not was]
            changed = [
                (n, items) for n, items in self._lists if items.is_changed and n not in replaced
            ]
            if replaced or changed:
                self._save(model, partial(_store, replaced=replaced, changed=changed))
        for _name, items in self._lists:
            items.freeze()


def _store(
    spec: ModelSpec, words: Words, slot: int, model: Any, *,
    replaced: list[str], changed: list[tuple[str, OpenList[Any]]],
) -> None:  # fmt: skip
    """Pack all, so that what does not fit leaves nothing half written; then write."""
    packed = []
    for name, items in changed:
        try:
            packed.append((items, items.pack()))
        except ValueMismatch as wrong:
            raise wrong.prefixed(f"{spec.name}.{name}") from None
    spec.store_members(words, slot, model, tuple(replaced))
    for items, ready in packed:
        items.write(words, ready)
