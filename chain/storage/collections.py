"""The layouts of fields: a `list`, `dict` or `set` is a collection, whose items are read and written one by one.

`Vector`, `IterableMap` and `Set` are other names for them. A `Map` has values by key, and does not know its keys. Any other
field is a value, which is read and written as a whole.
"""

from __future__ import annotations

from typing import Any, Final, get_args, get_origin

from chain.storage.collection import CollectionLayout
from chain.storage.fields import Layout
from chain.storage.iterable_map import IterableMap, IterableMapLayout
from chain.storage.map import Map, MapLayout
from chain.storage.set import Set, SetLayout
from chain.storage.vector import Vector, VectorLayout
from chain.values import StructType, ValueType
from chain.values.annotations import format_annotation, type_of_annotation
from chain.values.hints import Namespace, UnsupportedAnnotation

__all__ = ["COLLECTIONS", "IterableMap", "Map", "Set", "Vector", "layout_of_field"]

COLLECTIONS: Final[dict[type, type[CollectionLayout]]] = {
    Vector: VectorLayout,
    list: VectorLayout,
    Map: MapLayout,
    IterableMap: IterableMapLayout,
    dict: IterableMapLayout,
    Set: SetLayout,
    set: SetLayout,
}


def layout_of_field(name: str, annotation: Any, names: Namespace | None = None) -> Layout:
    """Return the layout of the storage field `name`, or raise `UnsupportedAnnotation` with the remedy."""
    args, layout_class = get_args(annotation), _collection(annotation)
    if layout_class is None:
        kind = type_of_annotation(annotation, names)
        _refuse_models(kind)
        return kind
    if not args:
        raise UnsupportedAnnotation(
            f"'{annotation.__name__}' has no item type; write one, such as {layout_class.collection._example}"
        )
    if layout_class is not MapLayout and _collection(args[-1]) is MapLayout:
        raise UnsupportedAnnotation(
            f"{format_annotation(annotation)}: a Map does not know its keys, so it can only be a field or in another Map;"
            " write a dict"
        )
    return layout_class.of(
        name,
        args,
        lambda key: _key_kind(key, names),
        lambda inner_name, value: layout_of_field(inner_name, value, names),
    )


def _collection(annotation: object) -> type[CollectionLayout] | None:
    return COLLECTIONS.get(get_origin(annotation) or annotation)  # type: ignore[arg-type]


def _key_kind(annotation: object, names: Namespace | None) -> ValueType:
    kind = type_of_annotation(annotation, names)
    _refuse_models(kind)
    if kind.is_changeable:
        raise UnsupportedAnnotation(
            f"{format_annotation(annotation)} can change, so it cannot be a key; use a tuple or a frozen dataclass"
        )
    return kind


def _refuse_models(kind: ValueType) -> None:
    """Refuse a model as a value."""
    if isinstance(kind, StructType) and "__model__" in vars(kind.cls or object):
        raise UnsupportedAnnotation(
            f"'{kind.name}' is a model, which is stored in a World; keep its keys here, or write a dataclass"
        )
    for part in kind.parts:
        _refuse_models(part)
