"""Which part of a contract's storage a field and keys name: a function that reads it from any words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from chain.spec.contracts import ContractSpec
from chain.storage.collection import CollectionLayout, ReadItemKey
from chain.storage.fields import Layout
from chain.storage.read_only import ReadOnlyStorage
from chain.values import short_repr


def field_reader(
    spec: ContractSpec, field: str, keys: Sequence[object], read_key: ReadItemKey
) -> Callable[[ReadOnlyStorage], Any]:
    """Return the function that reads a field, or its item under `keys`, from storage; None where an item is not there yet."""
    fields = spec.fields
    names = [] if fields is None else fields.names
    if fields is None or field not in names:
        raise TypeError(
            f"{spec.name} has no field '{field}'; it has {', '.join(names) or 'no fields'}"
        )
    index, path = names.index(field), f"{spec.name}.{field}"
    load, steps = fields.accessors(index)[0], list[tuple[Callable[[Any, object], Any], object]]()
    layout: Layout | None = fields.layouts[index]
    for key in keys:
        if not isinstance(layout, CollectionLayout):
            raise TypeError(f"{path} has no items: leave out {short_repr(key)}")
        item_of, (key, layout) = layout.item_of, layout.step(key, path, read_key)
        steps.append((item_of, key))
        path = f"{path}[{short_repr(key)}]"
    if isinstance(layout, CollectionLayout):
        raise TypeError(f"{path} is a {layout.what}: name an item")

    def read(storage: ReadOnlyStorage) -> Any:
        value = load(storage, 0)
        try:
            for item_of, key in steps:
                value = item_of(value, key)
        except LookupError:
            return None
        return value

    return read
