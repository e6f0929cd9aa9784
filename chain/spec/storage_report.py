"""The storage layout of contracts and models as text, to be shown, saved, and compared with that of an earlier class.

A type is spelled out down to its scalars, so that two types have the same text exactly if their values have the same layout.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from chain.spec.contracts import ContractSpec
from chain.spec.models import ModelSpec
from chain.storage.collection import CollectionLayout
from chain.storage.fields import FieldsLayout


class LayoutEntry(NamedTuple):
    """One member: its name and type, its word, the byte in that word where it begins, and its size in bytes.

    `offset` counts from the low end of the word. `bytes` is None if the member is not packed.
    """

    name: str
    type: str
    word: int
    offset: int
    bytes: int | None


def contract_layout_report(spec: ContractSpec) -> list[LayoutEntry]:
    """Return the fields of a contract, from slot 0 on."""
    return [] if spec.fields is None else _spots(spec.fields)


def model_shape(model: ModelSpec) -> list[LayoutEntry]:
    """Return the members of a model, from its own slot on. The first bit is True if the model was written."""
    return _spots(model.layout)


def _spots(members: FieldsLayout) -> list[LayoutEntry]:
    return [
        LayoutEntry(name, _spelled_layout(layout), offset.word, offset.shift // 8, layout.size)
        for name, layout, offset in zip(members.names, members.layouts, members.places, strict=True)
    ]


def _spelled_layout(layout: Any) -> str:
    if isinstance(layout, CollectionLayout):
        return f"{layout.what}[{', '.join(map(_spelled_layout, layout.parts))}]"
    return str(layout.spelled)
