"""Names in the ABI: signatures, selectors, and the JSON of a parameter."""

from __future__ import annotations

from collections.abc import Container, Iterable
from keyword import iskeyword
from typing import Any

from chain.crypto.hashing import keccak
from chain.schema.value_types import (
    EnumType,
    Field,
    ListType,
    OptionalType,
    StructType,
    ValueType,
)


def signature(name: str, members: Iterable[Field]) -> str:
    return f"{name}({','.join(member.kind.abi_type for member in members)})"


def selector(text: str) -> bytes:
    """Return the first four bytes of the hash of a signature."""
    return keccak(text.encode())[:4]


def abi_name(name: str) -> str:
    """Return the name of a field or argument outside Python: `from_` is `from`, a keyword in Python."""
    return name[:-1] if name.endswith("_") and iskeyword(name[:-1]) else name


def field_name(name: str, known: Container[str]) -> str:
    """Return the field called `name` in Python or in the ABI. `known` are the names of the fields."""
    other = f"{name}_" if iskeyword(name) else abi_name(name)
    return other if other in known and name not in known else name


def json_type(name: str, kind: ValueType) -> dict[str, Any]:
    """Return a parameter as the JSON ABI describes it, tuples with their components."""
    name, suffix = abi_name(name), ""
    while isinstance(kind, ListType):
        kind, suffix = kind.item, suffix + "[]"
    shown = {"name": name, "type": kind.abi_type + suffix, "internalType": _solidity(kind) + suffix}
    match kind:
        case OptionalType():
            names = ["exists", "value"]
        case StructType(members=members):
            names = [
                f"_{member.name}" if member.name.isdigit() else member.name for member in members
            ]
        case _:
            return shown
    components = [json_type(*part) for part in zip(names, kind.parts, strict=True)]
    return {**shown, "type": "tuple" + suffix, "components": components}


def _solidity(kind: ValueType) -> str:
    """Return a type in Solidity's spelling. There a tuple is a struct, so one without a class is named after its parts."""
    match kind:
        case ListType():
            return _solidity(kind.item) + "[]"
        case EnumType():
            return f"enum {kind.name}"
        case StructType(cls=cls) if cls is not None:
            return f"struct {kind.name}"
        case OptionalType():
            return f"struct Optional{_word(kind.parts[1])}"
        case StructType():
            return f"struct Tuple{''.join(map(_word, kind.parts))}"
    return kind.abi_type


def _word(kind: ValueType) -> str:
    """Return a type in a form that can be part of a name."""
    word = _solidity(kind).rpartition(" ")[2].replace("[]", "Array")
    return word[0].upper() + word[1:]
