"""Collections in a contract's storage: `Vector`, `Map`, `IterableMap` and `Set`, in addition to plain fields.

A field with a value is read and written as a whole (`self.count += 1`). A collection is changed in place, and only the words of
the requested items are touched. The bound object, such as `self.games`, is only a frame, a slot and a layout.
"""

from __future__ import annotations

from typing import Any, Final, get_args, get_origin

from chain.storage.collection_layout import CollectionLayout
from chain.storage.fields import Layout
from chain.storage.frozen_list import read_only
from chain.storage.iterable_map import IterableMap, IterableMapLayout
from chain.storage.map import Map, MapLayout
from chain.storage.set import Set, SetLayout
from chain.storage.vector import Vector, VectorLayout
from chain.values import ListType, OptionalType, StructType, ValueType
from chain.values.annotations import format_annotation, require_frozen, type_of_annotation
from chain.values.hints import Namespace, UnsupportedAnnotation
from chain.values.storage_collection import with_article

__all__ = ["COLLECTIONS", "IterableMap", "Map", "Set", "Vector", "layout_of_field"]

COLLECTIONS: Final[dict[str, type[CollectionLayout]]] = {
    layout.collection.__name__: layout
    for layout in (VectorLayout, MapLayout, IterableMapLayout, SetLayout)
}


def layout_of_field(name: str, annotation: Any, names: Namespace | None = None) -> Layout:
    """Return the layout of the storage field `name`, or raise `UnsupportedAnnotation` with the remedy."""
    args, layout_class = get_args(annotation), _collection(annotation)
    if layout_class is None:
        value_type = type_of_annotation(annotation, names)
        require_frozen(value_type)
        return read_only(value_type)
    if not args:
        raise UnsupportedAnnotation(
            f"'{annotation.__name__}' has no item type; write one, such as {annotation._example}"
        )
    if layout_class in (VectorLayout, IterableMapLayout) and _collection(args[-1]) is not None:
        what = with_article(layout_class.collection.__name__)
        how = " with a number as the key" if layout_class is VectorLayout else ""
        raise UnsupportedAnnotation(
            f"{format_annotation(annotation)}: {what} holds values, not collections; use a Map{how}"
        )
    return layout_class.of(
        name,
        args,
        lambda key: _key_kind(key, names),
        lambda inner_name, value: layout_of_field(inner_name, value, names),
    )


def _collection(annotation: object) -> type[CollectionLayout] | None:
    cls = get_origin(annotation) or annotation
    layouts = COLLECTIONS.values()
    return next((layout for layout in layouts if layout.collection is cls), None)


def _key_kind(annotation: object, names: Namespace | None) -> ValueType:
    value_type = type_of_annotation(annotation, names)
    if isinstance(value_type, OptionalType | ListType) or (
        isinstance(value_type, StructType) and value_type.is_dynamic
    ):
        raise UnsupportedAnnotation(
            f"{format_annotation(annotation)} cannot be a key; use a number, bool, Enum, Address, str, bytes or a"
            " tuple of numbers"
        )
    require_frozen(value_type)
    return value_type
