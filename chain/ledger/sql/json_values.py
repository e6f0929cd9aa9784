"""Values in a portable form: for JSON, a column of SQL, or a cell of a CSV file.

An Enum is its name, an address its checksum text, bytes are hex after `0x`, and None is null. A record is an object with the
names of the ABI (`from`, where Python has `from_`); a list or a fixed tuple is a list. An integer is a number. In JSON it is
text with its decimal digits if it does not fit in 64 bits with its sign, which is the limit of most readers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from typing import Any, Final, TypeAlias

from chain.abi import abi_name
from chain.abi.formatting import ValueStyle, method_for
from chain.crypto.hashing import checksum_address
from chain.types import Address
from chain.values import PLAIN, VARIANTS
from chain.values.inputs import text

Portable: TypeAlias = object  # None, bool, int, str, or lists and dicts of these
Cell: TypeAlias = int | str | None

HALF: Final = 2**63

address_text: Final = lru_cache(maxsize=1 << 14)(checksum_address)


def to_hex(raw: bytes | bytearray) -> str:
    return f"0x{raw.hex()}"


class JsonStyle(ValueStyle[Portable]):
    """Values as JSON. A whole number out of a range is text with its digits."""

    def __init__(self, lowest: int, highest: int) -> None:
        self._lowest, self._highest = lowest, highest

    def show(self, value: Any) -> Portable:
        cls = value.__class__
        if cls is int:
            return value if self._lowest <= value <= self._highest else str(value)
        if cls is str or cls is bool or value is None:
            return value
        if cls is Address:
            return self.address(value)
        return getattr(self, method_for(cls))(value)

    def address(self, value: bytes) -> str:
        return address_text(value)

    def items(self, value: Iterable[object]) -> Portable:
        return [self.show(item) for item in value]

    def record(self, cls: type | str, fields: Mapping[str, object]) -> Portable:
        return self.members(fields)

    def instance(self, value: Any) -> Portable:
        shown, cls = super().instance(value), value.__class__
        return {cls.__name__: shown} if cls in VARIANTS else shown

    def members(self, values: Mapping[str, object]) -> dict[str, Portable]:
        """Return fields or arguments by their ABI names."""
        return {abi_name(name): self.show(value) for name, value in values.items()}

    def plain(self, value: object) -> Portable:
        match value:
            case str() | float():
                return value
            case int():
                return self.show(int(value))
            case Mapping():
                return {str(key): self.show(inner) for key, inner in value.items()}
            case set() | frozenset():
                return self.items(value)
            case _:
                return str(value)


PORTABLE: Final = JsonStyle(-HALF, HALF - 1)
portable: Final = PORTABLE.show


def top_level(value: object) -> Portable:
    """Return a value that is not inside JSON: a whole number stays one."""
    return value if value.__class__ is int else portable(value)


to_json: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
# Some readers end a line at these characters.
_BREAKS: Final = {code: f"\\u{code:04x}" for code in (0x85, 0x2028, 0x2029)}


def json_line(value: object) -> str:
    """Return a value as a line of JSON."""
    return f"{to_json(value).translate(_BREAKS)}\n"


_name_to_json: Final = lru_cache(maxsize=1 << 12)(to_json)  # few names recur in many rows


def _json_object(members: dict[str, Any]) -> str:
    """Return `to_json(members)`; most arguments are plain numbers, which take no encoder."""
    items = [
        f"{_name_to_json(name)}:{value if value.__class__ is int else to_json(value)}"
        for name, value in members.items()
    ]
    return f"{{{','.join(items)}}}"


def sql_cell(value: Any) -> Cell:
    """Return a portable value as one cell: lists and objects as JSON."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, dict):
        return _json_object(value)
    return to_json(value) if isinstance(value, list) else value


def kept_cell(value: Any) -> Cell:
    """Return a portable value as a cell of a derived table: a number beyond 64 bits is text with its digits."""
    cls = value.__class__
    if cls is str or value is None or (cls is int and -HALF <= value < HALF):
        return value  # type: ignore[no-any-return]
    return str(value) if cls is int else sql_cell(value)


_KEPT_AS: Final[Mapping[type, Callable[[Any], Cell]]] = {bool: int, dict: _json_object}


def kept_column(values: Sequence[Any]) -> Sequence[Any]:
    """Return what `kept_cell` makes of each of these values. In most columns all of them have one type."""
    kinds = {*map(type, values)}
    if kinds <= {str, type(None)}:
        return values
    if kinds == {int} and min(values) >= -HALF and max(values) < HALF:
        return values
    kind = kinds.pop()
    return tuple(map(kept_cell if kinds else _KEPT_AS.get(kind, kept_cell), values))


def parameter(value: object) -> Cell | float:
    """Return a query parameter in the form of the columns."""
    value = getattr(value, "address", value)
    if value is None:
        return value
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, str):
        text(value, "a value")
    if isinstance(value, str | float | int):
        return value
    if isinstance(value, bytes):
        return address_text(value) if len(value) == 20 else to_hex(value)
    if type(value) in PLAIN:
        return str(value)
    raise TypeError(
        f"{value!r} cannot be stored in a column: pass a number, text, Enum, address or bytes"
    )
