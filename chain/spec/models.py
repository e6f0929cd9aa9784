"""Descriptions of `@model`: a keyed record of a World, and its layout in the world's storage.

The selector of a model is the keccak of its tag, such as `mage_duel-Board`. Selector and keys lead to a slot, as two nested
maps of Solidity would. At that slot is a record: a flag that the model was written, then its members. All functions work on
any object with words: the frame of a running message, or the current state seen from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from operator import attrgetter, itemgetter
from typing import Any, Final, Protocol, TypeAlias, cast

from chain import abi
from chain.crypto.hashing import keccak
from chain.spec.records import RecordSpec
from chain.storage.fields import FieldsLayout
from chain.storage.vector import VectorLayout
from chain.values import BoolType, Field, ListType, StructType, ValueType
from chain.values.kind import Words

# The parent slot of all models of a world.
MODELS: Final = int.from_bytes(keccak(b"boardchain models"))

_Reader: TypeAlias = Callable[[object], tuple[object, ...]]
_Access: TypeAlias = tuple[
    Callable[[Words, int], object], Callable[[Words, int, object], None]
]  # loads, stores


class MappedWords(Words, Protocol):
    """Words, with slots for the items of maps, and of maps in maps."""

    def map_slot(self, slot: int, key: bytes) -> int: ...
    def nested_slot(self, slot: int, outer: bytes, inner: bytes) -> int: ...


def tag_of(namespace: str, name: str) -> str:
    """Return the tag of a model or a system."""
    return f"{namespace}-{name}"


@lru_cache(maxsize=4096)
def selector_of(tag: str) -> bytes:
    """Return the resource of a model or a namespace, to which permissions refer."""
    return keccak(tag.encode())


@lru_cache(maxsize=4096)
def resource_of(namespace: str, name: str) -> bytes:
    """Return the resource of a model."""
    return selector_of(tag_of(namespace, name))


class ModelSpec:
    """The description of a model class: its keys, its members, and how each is read and written."""

    def __init__(self, record: RecordSpec) -> None:
        self.record, self.name = record, record.name
        self.names = tuple(member.name for member in record.data_members)
        self.keys_of = _reader(record.keys)
        self.size = len(record.members)
        self.values_of = _reader(self.names)
        arrangement = [*record.keys, "", *self.names]
        self._arrange = itemgetter(*(arrangement.index(member.name) for member in record.members))

    @cached_property
    def kind(self) -> StructType:
        """The flag that the model exists, and the members that are not keys."""
        return StructType(self.name, (Field("exists", BoolType()), *self.record.data_members))

    @cached_property
    def layout(self) -> FieldsLayout:
        """The same, each accessed on its own."""
        return FieldsLayout.of(self.kind)

    @cached_property
    def members(self) -> tuple[tuple[str, ValueType, int], ...]:
        """Each member that is not a key: its name, its type, and its distance in words from the model's slot."""
        layouts, places = self.layout.layouts[1:], self.layout.places[1:]
        return tuple(
            (name, layout, offset.word)
            for name, layout, offset in zip(self.names, layouts, places, strict=True)
        )

    @cached_property
    def _accessors(self) -> dict[str, _Access]:
        """The functions that load and store each member."""
        return {name: self.layout.accessors(i) for i, name in enumerate(self.names, 1)}

    @cached_property
    def _encode_keys(self) -> Callable[[object], bytes]:
        return StructType(self.name, self.record.key_members).encode

    @cached_property
    def open_layout(self) -> FieldsLayout:
        """The flag and the members of an open model, whose lists are collections."""
        layouts = [
            VectorLayout(f"{self.name}.{member.name}", member.kind.item)
            if isinstance(member.kind, ListType) and member.kind.make is list
            else member.kind
            for member in self.record.data_members
        ]
        return FieldsLayout(["exists", *self.names], [BoolType(), *layouts])

    # Location

    def slot(self, words: MappedWords, namespace: str, keys: tuple[object, ...]) -> int:
        """Return the slot of the model with these keys."""
        return words.nested_slot(MODELS, resource_of(namespace, self.name), self.key_bytes(keys))

    def parent(self, words: MappedWords, namespace: str) -> int:
        """Return the parent slot of all models of this class."""
        return words.map_slot(MODELS, resource_of(namespace, self.name))

    def key_bytes(self, keys: tuple[object, ...]) -> bytes:
        """Return the encoded keys."""
        try:
            return self._encode_keys(keys)
        except abi.ValueMismatch as mismatch:
            names = self.record.keys
            if len(keys) != len(names):
                raise TypeError(
                    f"the keys of {self.name} are {', '.join(names)}: {len(keys)} values were given"
                ) from None
            raise mismatch.prefixed(self.name) from None

    def decode_keys(self, key_bytes: bytes) -> tuple[Any, ...]:
        return tuple(abi.decode_members(self.record.key_members, key_bytes))

    def fits(self, other: ModelSpec) -> bool:
        """True if another class reads the same models: its keys are the same, and its members but for some more at the end."""
        (keys, members), (other_keys, other_members) = self._shape, other._shape
        both = min(len(members), len(other_members))
        return keys == other_keys and members[:both] == other_members[:both]

    @cached_property
    def _shape(self) -> tuple[list[tuple[str, str]], ...]:
        """The names and types of the keys, and of the other members."""
        return tuple(
            [(member.name, member.kind.abi_type) for member in members]
            for members in (self.record.key_members, self.record.data_members)
        )

    # Values

    def exists(self, words: Words, slot: int) -> bool:
        """Return True if the model was written."""
        return words.sload(slot) & 1 == 1

    def load(self, words: Words, slot: int, keys: tuple[object, ...]) -> Any:
        """Return the model; all zero except for its keys if it was never written."""
        return self.record.cls(*self._arrange((*keys, *self.kind.load(words, slot))))

    def build(self, keys: tuple[object, ...], values: Iterable[object]) -> Any:
        """Return the model with these keys and these values of its other members."""
        return self.record.cls(*self._arrange((*keys, True, *values)))

    def load_member(self, words: Words, slot: int, name: str) -> object:
        """Return one member of the model."""
        return self._member(name)[0](words, slot)

    def store(self, words: Words, slot: int, model: object) -> None:
        """Write all members."""
        try:
            self.kind.store(words, slot, (True, *self.values_of(model)))
        except abi.ValueMismatch as mismatch:
            raise mismatch.prefixed(self.name) from None

    def store_members(self, words: Words, slot: int, model: object, names: tuple[str, ...]) -> None:
        """Write only the named members, and the flag that the model exists."""
        accesses = [self._member(name) for name in names]
        flag = words.sload(slot)
        if not flag & 1:
            words.sstore(slot, flag | 1)
        for name, (_, store) in zip(names, accesses, strict=True):
            try:
                store(words, slot, getattr(model, name))
            except abi.ValueMismatch as mismatch:
                raise mismatch.prefixed(f"{self.name}.{name}") from None

    def change(self, words: Words, slot: int, model: object, before: object) -> None:
        """Write the members of `model` that are not the same objects as in `before`, and the flag that the model exists."""
        was_set = self.exists(words, slot)
        try:
            self.kind.change(
                words, slot, (was_set, *self.values_of(before)), (True, *self.values_of(model))
            )
        except abi.ValueMismatch as mismatch:
            raise mismatch.prefixed(self.name) from None

    def clear(self, words: Words, slot: int) -> None:
        self.kind.clear(words, slot)

    def require_members(self, model: object) -> None:
        """Refuse a model with an attribute that is not a member: it would be lost."""
        member_names = {member.name for member in self.record.members}
        for name in vars(model):
            if name not in member_names and not hasattr(type(model), name):
                raise TypeError(
                    f"'{name}' is not a member of {self.name}; its members are {', '.join(self._accessors)}"
                )

    def _member(self, name: str) -> _Access:
        """Return the functions that load and store a member."""
        accessors = self._accessors.get(name)
        if accessors is None:
            problem = "is a key" if name in self.record.keys else "is not a member"
            raise TypeError(
                f"'{name}' {problem} of {self.name}; its members are {', '.join(self._accessors)}"
            )
        return accessors


def model_spec(model: type) -> ModelSpec:
    """Return the description of a model class."""
    spec: ModelSpec | None = getattr(model, "__model__", None)
    if spec is None or spec.record.cls is not model:
        raise TypeError(
            f"{getattr(model, '__name__', repr(model))} is not a model: mark its class with @model"
        )
    return spec


def _reader(names: tuple[str, ...]) -> _Reader:
    """Return a function that returns these attributes of an object as a tuple."""
    if len(names) > 1:
        return cast(_Reader, attrgetter(*names))
    get_attribute = attrgetter(*names)
    return lambda thing: (get_attribute(thing),)
