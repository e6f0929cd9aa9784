"""Values as text or as data: one visitor, and a style for each purpose. This module has the text for people, in which accounts
may have names.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from enum import Enum
from functools import lru_cache
from typing import Any, Final, Generic, Protocol, TypeVar

from chain.abi.json_abi import DecodedAbiEvent
from chain.crypto.address import Address

S = TypeVar("S")

_OF_PYTHON: Final = (
    int,
    float,
    str,
    set,
    frozenset,
    type(None),
)  # the text of any other value is `str(value)`
_LONGEST: Final = 32  # bytes up to this length are shown in full


class AddressNames(Protocol):
    """A source of names for accounts and contracts."""

    def display(self, address: bytes) -> str: ...


class ValueStyle(ABC, Generic[S]):
    """A style in which values are shown. Each method except `show` is for one sort of value."""

    def show(self, value: Any) -> S:
        shown: S = getattr(self, method_for(value.__class__))(value)
        return shown

    def instance(self, value: Any) -> S:
        cls = value.__class__
        return self.record(cls, {name: getattr(value, name) for name in _names_of(cls)})

    def abi_event(self, value: DecodedAbiEvent) -> S:
        return self.record(value.name, value.values)

    def member(self, value: Enum) -> str:
        return value.name

    def address(self, value: Address) -> str:
        return str(value)

    def raw(self, value: bytes | bytearray) -> str:
        return f"0x{value.hex()}"

    @abstractmethod
    def items(self, value: list[object] | tuple[object, ...]) -> S: ...
    @abstractmethod
    def record(self, cls: type | str, fields: Mapping[str, object]) -> S: ...
    @abstractmethod
    def plain(self, value: object) -> S: ...  # None, a bool, a number, a text


# The methods of a style by class. An Enum is first, since it may be a number or a text, too.
_METHODS: Final[tuple[tuple[Any, str], ...]] = (
    (Enum, "member"), (Address, "address"), (bytes | bytearray, "raw"), (DecodedAbiEvent, "abi_event"),
)  # fmt: skip


@lru_cache(maxsize=1 << 10)
def method_for(cls: type) -> str:
    """Return the name of the method that shows instances of a class."""
    for base, method in _METHODS:
        if issubclass(cls, base):
            return method
    if dataclasses.is_dataclass(cls) or hasattr(cls, "_fields"):  # a NamedTuple has these
        return "instance"
    return "items" if issubclass(cls, list | tuple) else "plain"


@lru_cache(maxsize=1 << 10)
def _names_of(cls: Any) -> tuple[str, ...]:
    """Return the names of the fields of a dataclass or a NamedTuple."""
    if dataclasses.is_dataclass(cls):
        return tuple(member.name for member in dataclasses.fields(cls))
    names: tuple[str, ...] = cls._fields
    return names


class PythonStyle(ValueStyle[str]):
    """Values almost as Python writes them, in one line."""

    def items(self, value: list[object] | tuple[object, ...]) -> str:
        inner = ", ".join(map(self.show, value))
        if isinstance(value, list):
            return f"[{inner}]"
        return f"({inner},)" if len(value) == 1 else f"({inner})"

    def record(self, cls: type | str, fields: Mapping[str, object]) -> str:
        inner = ", ".join(f"{name}={self.show(value)}" for name, value in fields.items())
        return f"{self.class_name(cls)}({inner})"

    def class_name(self, cls: type | str) -> str:
        return cls if isinstance(cls, str) else cls.__name__

    def plain(self, value: object) -> str:
        match value:
            case Mapping():
                pairs = (f"{self.show(key)}: {self.show(item)}" for key, item in value.items())
                return f"{{{', '.join(pairs)}}}"
            case set() | frozenset() if value:
                return f"{{{', '.join(sorted(map(self.show, value)))}}}"
            case _:
                return repr(value if isinstance(value, _OF_PYTHON) else str(value))


class NamedStyle(PythonStyle):
    """The same with accounts and contracts by name, as far as these have one."""

    def __init__(self, name_of: Callable[[bytes], str | None]) -> None:
        self._name_of = name_of

    def address(self, value: Address) -> str:
        return self._name_of(value) or str(value)


class ValueFormatter(PythonStyle):
    """Values for people: accounts and contracts by name, long bytes shortened."""

    def __init__(self, names: AddressNames) -> None:
        self.names = names

    def address(self, value: Address) -> str:
        return self.names.display(value)

    def raw(self, value: bytes | bytearray) -> str:
        suffix = f"… ({len(value)} bytes)" if len(value) > _LONGEST else ""
        return f"{super().raw(value[:_LONGEST])}{suffix}"


show_plain: Final = PythonStyle().show


def outside_text(error: Any) -> str:
    """Return a declared error as other programs see it, which know no names: `NotYourTurn(0x90F7…)`, with whole addresses."""
    cls = error.__class__
    fields = ", ".join([show_plain(getattr(error, name)) for name in _names_of(cls)])
    return f"{cls.__name__}({fields})"
