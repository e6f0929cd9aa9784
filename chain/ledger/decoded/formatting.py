"""Values as readable text, with accounts and contracts by name."""

from __future__ import annotations

import dataclasses
from enum import Enum
from typing import Any, Final, Protocol

from chain.abi.json_abi import DecodedAbiEvent
from chain.types import Address


class AddressNames(Protocol):
    """A source of names for accounts and contracts."""

    def display(self, address: bytes) -> str: ...


_LONGEST: Final = 32  # bytes up to this length are shown in full


class ValueFormatter:
    """A formatter that describes values as text."""

    def __init__(self, names: AddressNames) -> None:
        self.names = names

    def show(self, value: Any) -> str:
        """Return a value as readable text, addresses by name."""
        match value:
            case Address():
                return self.names.display(value)
            case Enum():
                return value.name
            case bytes():
                suffix = f"… ({len(value)} bytes)" if len(value) > _LONGEST else ""
                return f"0x{value[:_LONGEST].hex()}{suffix}"
            case list():
                return f"[{', '.join(map(self.show, value))}]"
            case tuple():
                return f"({', '.join(map(self.show, value))}{',' if len(value) == 1 else ''})"
            case DecodedAbiEvent(name=name, values=values):
                return self._record(name, values)
            case _ if dataclasses.is_dataclass(value):
                fields = {
                    member.name: getattr(value, member.name) for member in dataclasses.fields(value)
                }
                return self._record(type(value).__name__, fields)
            case _:
                return repr(value)

    def _record(self, name: str, fields: dict[str, Any]) -> str:
        return f"{name}({', '.join(f'{key}={self.show(value)}' for key, value in fields.items())})"
