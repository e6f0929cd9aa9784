"""The base of the layouts of collections: their common parts, and the data for descriptions of the storage."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self, TypeAlias, TypeVar

from chain.storage.fields import FieldsLayout, Layout
from chain.values import ValueType
from chain.values.kind import ReadableWords, Words
from chain.values.storage_collection import StorageCollection, with_article

P = TypeVar("P")
ReadKey: TypeAlias = Callable[[P], ValueType]
ReadValue: TypeAlias = Callable[[str, P], Layout]  # takes the name of the value, too
# From its type, the key as it was given and the path of its collection to the key as the collection takes it.
ReadItemKey: TypeAlias = Callable[[ValueType, object, str], object]


class CollectionLayout:
    """The layout of a collection. It cannot be stored or cleared as a whole."""

    collection: ClassVar[type[StorageCollection]]
    size: int | None = None
    words = 1
    fields: FieldsLayout | None = None  # the layouts that it consists of, if any

    def __init__(self, name: str, *parts: ValueType | Layout) -> None:
        self.name = name  # the path of the field, such as `Counter.games`
        self.what = self.collection.__name__
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

    def load(self, frame: ReadableWords, slot: int) -> Any:
        return self.collection(frame, slot, self)

    def store(self, frame: Words, slot: int, value: object) -> None:
        raise TypeError(
            f"{self.name}: {with_article(self.what)} is changed in place: it cannot be assigned"
        )

    def clear(self, frame: Words, slot: int) -> None:
        raise TypeError(
            f"{self.name}: {with_article(self.what)} is changed in place: it cannot be deleted"
        )
