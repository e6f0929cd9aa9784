"""Typed data (EIP-712), compared with its types before it is signed.

`eth_account` checks the rest, but signs lists of any length, zeros where a field is missing, and numbers as texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def require_fit(types: Mapping[str, Any], kind: str, value: Any, name: str) -> None:
    """Raise ValueError if a value lacks a field, has too many or too few items, or is not the text that it should be."""
    if kind.endswith("]"):
        item_kind, _, length = kind[:-1].rpartition("[")
        if length and len(value) != int(length):
            raise ValueError(
                f"Expected {length} items for array type {kind}, got {len(value)} items, in '{name}'"
            )
        for item in value:
            require_fit(types, item_kind, item, name)
    elif kind in types:
        if value is not None:  # None ends a recursive structure
            for field in types[kind]:
                require_fit(types, field["type"], value.get(field["name"]), field["name"])
    elif value is None:
        raise ValueError(f"there is no '{name}'")
    elif kind == "string" and not isinstance(value, str):
        raise ValueError(f"'{name}' is {value!r}, which is not a text")
