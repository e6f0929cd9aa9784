"""What `@model` means: a keyed record of a World, and how it lies in the world's storage.

The keccak of a model's tag, `mage_duel-Board`, is its selector; selector and keys lead to a slot, as two maps of Solidity
would. There lies a record: a flag that says the model was written, then its members. All of it works on anything that has
words: the frame of a running message, or the state as it stands, seen from outside.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from operator import attrgetter, itemgetter
from typing import Any, Final, Protocol, TypeAlias, cast

from chain import abi
from chain.crypto.hashing import keccak
from chain.schema.value_types import (
    BoolType,
    Field,
    ListType,
    StructType,
    ValueType,
)
from chain.spec.records import RecordSpec
from chain.storage.frozen_list import read_only
from chain.storage.layout import (
    Layout,
    RecordLayout,
    Words,
    layout_for,
)

# The slot that all models of a world hang on.
MODELS: Final = int.from_bytes(keccak(b"boardchain models"))

_Reader: TypeAlias = Callable[[Any], tuple[Any, ...]]


class MappedWords(Words, Protocol):
    """Words, and slots for the items of maps."""

    def map_slot(self, slot: int, key: bytes) -> int: ...


@lru_cache(maxsize=4096)
def selector_of(namespace: str, name: str = "") -> bytes:
    """What stands for a model where permissions are kept; without a name, for the whole namespace."""
    return keccak((f"{namespace}-{name}" if name else namespace).encode())


class ModelSpec:
    """The models of one class: their keys, their members, and how each is read and written."""

    def __init__(self, record: RecordSpec) -> None:
        self.record, self.name = record, record.name
        members, names = record.data_members, tuple(member.name for member in record.data_members)
        self.layout = RecordLayout(StructType(self.name, (Field("exists", BoolType()), *members)))
        self.keys_of = _reader(record.keys)
        self.size = len(record.members)
        self._values_of = _reader(names)
        self._encode_keys = abi.encoder(StructType(self.name, record.key_members))
        found = [*record.keys, "", *names]
        self._arrange = itemgetter(*(found.index(member.name) for member in record.members))
        self._access = {name: self.layout.accessors(i) for i, name in enumerate(names, 1)}
        # Each member that is no key: its name, how it lies, and how many words after the model's slot.
        self.members: tuple[tuple[str, Layout, int], ...] = tuple(
            (name, layout, at.word)
            for name, layout, at in zip(
                names, self.layout.layouts[1:], self.layout.places[1:], strict=True
            )
        )

    @cached_property
    def open_members(self) -> tuple[tuple[str, Layout, int], ...]:
        """The same of an open model: lists are changed item by item there, and what lists are within is read-only."""
        layouts = [layout_for(_open(member.kind)) for member in self.record.data_members]
        return tuple(
            (name, layout, word)
            for (name, _, word), layout in zip(self.members, layouts, strict=True)
        )

    # Where it is

    def slot(self, words: MappedWords, namespace: str, keys: tuple[Any, ...]) -> int:
        """Where the model with these keys lies."""
        return words.map_slot(self.parent(words, namespace), self.key_bytes(keys))

    def parent(self, words: MappedWords, namespace: str) -> int:
        """The slot that all models of this class hang on."""
        return words.map_slot(MODELS, selector_of(namespace, self.name))

    def key_bytes(self, keys: tuple[Any, ...]) -> bytes:
        names = self.record.keys
        if len(keys) != len(names):
            raise TypeError(
                f"{self.name} is found by {', '.join(names)}: {len(keys)} values were given"
            )
        try:
            return self._encode_keys(keys)
        except abi.ValueMismatch as wrong:
            raise wrong.prefixed(self.name) from None

    def decode_keys(self, key_bytes: bytes) -> tuple[Any, ...]:
        return tuple(abi.decode_members(self.record.key_members, key_bytes))

    # What it holds

    def exists(self, words: Words, slot: int) -> bool:
        return words.sload(slot) & 1 == 1

    def load(self, words: Words, slot: int, keys: tuple[Any, ...]) -> Any:
        """The model; all zero, but for its keys, if nobody wrote it."""
        return self.record.cls(*self._arrange((*keys, *self.layout.load(words, slot))))

    def build(self, keys: tuple[Any, ...], values: tuple[Any, ...]) -> Any:
        """The model with these keys and values of its other members."""
        return self.record.cls(*self._arrange((*keys, True, *values)))

    def load_member(self, words: Words, slot: int, name: str) -> Any:
        return self._member(name)[0](words, slot)

    def store(self, words: Words, slot: int, model: Any) -> None:
        try:
            self.layout.store(words, slot, (True, *self._values_of(model)))
        except abi.ValueMismatch as wrong:
            raise wrong.prefixed(self.name) from None

    def store_members(self, words: Words, slot: int, model: Any, names: tuple[str, ...]) -> None:
        """Write only the members that are named; the model is set from then on."""
        accesses = [self._member(name) for name in names]
        flag = words.sload(slot)
        if not flag & 1:
            words.sstore(slot, flag | 1)
        for name, (_, store) in zip(names, accesses, strict=True):
            try:
                store(words, slot, getattr(model, name))
            except abi.ValueMismatch as wrong:
                raise wrong.prefixed(f"{self.name}.{name}") from None

    def change(self, words: Words, slot: int, model: Any, before: Any) -> None:
        """Write what is another object in `model` than in `before`; the model is set from then on."""
        was_set = self.exists(words, slot)
        try:
            self.layout.change(
                words, slot, (was_set, *self._values_of(before)), (True, *self._values_of(model))
            )
        except abi.ValueMismatch as wrong:
            raise wrong.prefixed(self.name) from None

    def clear(self, words: Words, slot: int) -> None:
        self.layout.clear(words, slot)

    def refuse_strangers(self, model: Any) -> None:
        """Refuse a model on which something was set that is none of its members: it would be lost."""
        known = {member.name for member in self.record.members}
        for name in vars(model):
            if name not in known and not hasattr(type(model), name):
                raise TypeError(
                    f"'{name}' is no member of {self.name}; its members are {', '.join(self._access)}"
                )

    def _member(
        self, name: str
    ) -> tuple[Callable[[Any, int], Any], Callable[[Any, int, Any], None]]:
        access = self._access.get(name)
        if access is None:
            why = "is a key" if name in self.record.keys else "is no member"
            raise TypeError(
                f"'{name}' {why} of {self.name}; its members are {', '.join(self._access)}"
            )
        return access


def _open(kind: ValueType) -> ValueType:
    if isinstance(kind, ListType) and kind.make is list:
        return ListType(read_only(kind.item))
    return read_only(kind)


def model_spec(model: type) -> ModelSpec:
    """What a model class means."""
    spec: ModelSpec | None = getattr(model, "__model__", None)
    if spec is None or spec.record.cls is not model:
        raise TypeError(
            f"{getattr(model, '__name__', repr(model))} is no model: mark its class with @model"
        )
    return spec


def _reader(names: tuple[str, ...]) -> _Reader:
    """A function that takes these attributes out of a thing, as a tuple."""
    if len(names) > 1:
        return cast(_Reader, attrgetter(*names))
    one = attrgetter(*names)
    return lambda thing: (one(thing),)
