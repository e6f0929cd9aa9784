"""Types and layouts as plain data in a chain's file, from which they are restored without the class."""

from __future__ import annotations

from typing import Any

import pytest

from chain import Address, Map, Set, Vector
from chain.ledger.type_descriptions import describe_layout, layout_from
from chain.storage.collections import layout_of_field
from chain.types import bytes32, u8, u64

FIELDS = [
    list[u8],
    tuple[bytes32, ...] | None,
    Vector[list[Address]],
    Set[tuple[u8, u8]],
    Map[str, Map[Address, u64 | None]],
    Map[u8, Set[bytes]],
]


@pytest.mark.parametrize("annotation", FIELDS, ids=str)
def test_layout_is_restored_from_its_description(annotation: Any) -> None:
    layout = layout_of_field("Game.it", annotation)
    restored = layout_from("Game.it", describe_layout(layout))
    assert (type(restored), restored.words) == (type(layout), layout.words)
    assert describe_layout(restored) == describe_layout(layout)
