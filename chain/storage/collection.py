"""The base of the layouts of collections."""

from __future__ import annotations

import dis
import sys
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Final, Self, TypeAlias, TypeVar

from chain.storage.fields import FieldsLayout, Layout
from chain.storage.unit_of_work import Holder, Place, UnitOfWork, is_collection
from chain.values import ValueMismatch, ValueType, short_repr

P = TypeVar("P")
ReadKey: TypeAlias = Callable[[P], ValueType]
ReadValue: TypeAlias = Callable[[str, P], Layout]  # takes the name of the value, too
Part: TypeAlias = tuple[str, Any, object]
# From its type, the key as it was given and the path of its collection to the key as the collection takes it.
ReadItemKey: TypeAlias = Callable[[ValueType, object, str], object]

UNREAD: Final = object()
_IN_PLACE: Final = range(13, 26)  # the arguments of BINARY_OP for `+=`, `|=` …


def is_in_place() -> bool:
    """Return True if the operator that calls this method of its right side is `+=`, `|=` …, which change the left side."""
    frame = sys._getframe(2)
    code, at = frame.f_code.co_code, frame.f_lasti
    return dis.opname[code[at]] == "BINARY_OP" and code[at + 1] in _IN_PLACE


class CollectionLayout:
    """The layout of a collection."""

    collection: ClassVar[type[Holder]]
    what: ClassVar[str]  # its name in annotations
    expected: ClassVar[str]  # the end of a sentence about a value that is no such collection
    accepted: ClassVar[tuple[type, ...]]  # Python's own classes that can be assigned
    is_changeable = True
    size: int | None = None
    words = 1
    fields: FieldsLayout | None = None  # the layouts that it consists of, if any

    def __init__(self, name: str, *parts: ValueType | Layout) -> None:
        self.name = name  # the path of the field, such as `Counter.games`
        self.parts = parts  # keys and values, in the order of the annotation

    @classmethod
    @abstractmethod
    def of(cls, name: str, parts: Sequence[P], key: ReadKey[P], value: ReadValue[P]) -> Self:
        """Return the layout of the field `name`. `key` and `value` read the `parts` of its declaration."""

    @abstractmethod
    def step(self, key: object, path: str, read: ReadItemKey) -> tuple[object, Layout | None]:
        """Return the key of an item as the collection takes it, and the layout of the item; None if it has no parts."""

    def item_of(self, collection: Any, key: object) -> Any:
        """Return an item of a loaded collection; raise LookupError if there is none."""
        return collection[key]

    def load(self, words: Any, slot: int) -> Any:
        """Return the collection in these words, outside of messages."""
        return self.collection(UnitOfWork(words), slot, self)

    def take(self, work: UnitOfWork, place: Place) -> Any:
        """Return the collection at a place of a unit of work."""
        return self.collection(work, place.slot, self)

    def refuse_misfit(self, value: object) -> None:
        """Refuse a value that is no such collection, or has an item that does not fit."""
        if not isinstance(value, (self.collection, *self.accepted)):
            raise ValueMismatch("", f"{short_repr(value)} {self.expected}")
        self.check_items(value)

    def settle(self, words: Any, place: Place, value: Any) -> None:
        """Write what differs between a collection and the words at its place."""
        slot = place.slot
        if is_collection(value) and value._work.words is words and value._slot == slot:
            value._write()
        else:
            self.overwrite(words, slot, value)

    def split(self, value: Any) -> list[Part] | None:
        """Return the parts of one of Python's own collections, as `ValueType.split` does; None if it is not one."""
        return self.parts_of(value) if isinstance(value, self.accepted) else None

    def parts_of(self, value: Any) -> list[Part]:
        """Return the items that have parts of their own, each with its step and layout."""
        return []

    @abstractmethod
    def check_items(self, value: Any) -> None:
        """Refuse an item that does not fit."""

    @abstractmethod
    def overwrite(self, words: Any, slot: int, value: Any) -> None:
        """Write the items of a collection over those in storage."""

    @abstractmethod
    def clear(self, words: Any, slot: int) -> None:
        """Clear all words of the collection."""

    @abstractmethod
    def used(self, words: Any, slot: int) -> Iterable[int]:
        """Return the slots of all words of the collection."""
