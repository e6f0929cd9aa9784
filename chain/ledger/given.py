"""Values as people and other programs write them, read by their kind: the way back from `chain.ledger.portable`.

A whole number may come as a number, as decimal digits or as `0x1f`; an Enum by its name or its code; an address, and all
other bytes, as hex after `0x`; a record as an object or a list, a list as a list, None as null.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from chain.fit import short
from chain.kinds import Account, Blob, Bool, Choice, Kind, Member, Option, Record, Sequence, Text
from chain.types import Address, FixedBytes, Int

_LONGEST: Final = 80  # digits of a number that may be right


def given(kind: Kind, value: Any, path: str) -> Any:
    """The value of a kind that someone has written; a ValueError says what would be right at `path`."""
    match kind:
        case Int() if (number := whole(value)) is not None:
            return number
        case Bool() if isinstance(value, bool):
            return value
        case Choice() if (member := _member(kind, value)) is not None:
            return member
        case Account() if (raw := _raw(value)) is not None and len(raw) == 20:
            return Address(raw)
        case Text() if isinstance(value, str):
            return value
        case Blob() | FixedBytes() if (raw := _raw(value)) is not None:
            return raw
        case Option(item=item):
            return None if value is None else given(item, value, path)
        case Sequence(item=item, make=make) if isinstance(value, list | tuple):
            return make(given(item, each, f"{path}[{i}]") for i, each in enumerate(value))
        case Record(cls=cls, members=members) if isinstance(value, Mapping | list | tuple):
            values = given_members(members, value, path)
            return tuple(values) if cls is None else cls(*values)
    raise ValueError(f"{path} is {short(value)}; {_wanted(kind)}")


def given_members(members: tuple[Member, ...], value: Any, path: str) -> list[Any]:
    """The values of named members, from an object or in their order."""
    names = [member.name for member in members]
    if isinstance(value, Mapping):
        strange = [name for name in value if name not in names]
        if strange or len(value) != len(names):
            wrong = f"has no {', '.join(map(str, strange))}" if strange else "is not whole"
            raise ValueError(f"{path} {wrong}; it takes {', '.join(names) or 'nothing'}")
        value = [value[name] for name in names]
    if len(value) != len(names):
        raise ValueError(f"{path} has {len(value)} values; it takes ({', '.join(names)})")
    return [given(m.kind, v, f"{path}.{m.name}") for m, v in zip(members, value, strict=True)]


def whole(value: Any) -> int | None:
    """A whole number as a number, as decimal digits or as `0x1f`."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    try:
        return int(value, 16 if value.removeprefix("-")[:2] in ("0x", "0X") else 10)
    except ValueError:
        return None


def _member(kind: Choice, value: Any) -> Any:
    if isinstance(value, str) and value in kind.cls.__members__:
        return kind.cls[value]
    return kind.member_of().get(value) if type(value) is int else None


def _raw(value: Any) -> bytes | None:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str) and value.startswith("0x"):
        try:
            return bytes.fromhex(value[2:])
        except ValueError:
            pass
    return None


_WANTED: Final[dict[type, Callable[[Any], str]]] = {
    Int: lambda kind: "it takes a whole number, as 31, '31' or '0x1f'",
    Bool: lambda kind: "it takes true or false",
    Choice: lambda kind: f"it takes {', '.join(kind.cls.__members__)}",
    Account: lambda kind: "it takes an address, 0x and 40 hex digits",
    Text: lambda kind: "it takes a text",
    Blob: lambda kind: "it takes bytes, as in 0x12ab",
    FixedBytes: lambda kind: f"it takes {kind.size} bytes, as in 0x12ab",
    Sequence: lambda kind: "it takes a list",
    Record: lambda kind: f"it takes ({', '.join(member.name for member in kind.members)})",
}


def _wanted(kind: Kind) -> str:
    return _WANTED[type(kind)](kind)
