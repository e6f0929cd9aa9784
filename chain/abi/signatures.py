"""The name of a value type in the ABI, and its size."""

from __future__ import annotations

from collections.abc import Container, Iterable
from keyword import iskeyword
from typing import Any, Final

from chain.crypto.hashing import keccak
from chain.schema.value_types import (
    AddressType,
    BoolType,
    BytesType,
    EnumType,
    Field,
    ListType,
    OptionalType,
    StringType,
    StructType,
    ValueType,
)
from chain.types import FixedBytes, Int

SIGN: Final = {"minus": b"\xff" * 24, "plus": bytes(24)}  # the upper 24 bytes of a signed number


def abi_type(kind: ValueType) -> str:
    """Return the ABI type, such as `uint8` or `(bool,address)[]`."""
    match kind:
        case Int(bits=bits, signed=signed):
            return f"{'' if signed else 'u'}int{bits}"
        case FixedBytes(name=name):
            return name
        case BoolType():
            return "bool"
        case AddressType():
            return "address"
        case EnumType():
            return "uint8"
        case StringType():
            return "string"
        case BytesType():
            return "bytes"
        case OptionalType(item=item):
            return f"(bool,{abi_type(item)})"
        case ListType(item=item):
            return f"{abi_type(item)}[]"
        case StructType(members=members, array=True):
            return f"{abi_type(members[0].kind)}[{len(members)}]"
        case StructType(members=members):
            return "(" + ",".join(abi_type(member.kind) for member in members) + ")"


def signature(name: str, members: Iterable[Field]) -> str:
    return f"{name}({','.join(abi_type(member.kind) for member in members)})"


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
    match kind:
        case OptionalType(item=item):
            parts = [Field("exists", BoolType()), Field("value", item)]
        case StructType(members=members, cls=cls):
            parts = [Field("" if cls is None else m.name, m.kind) for m in members]
        case _:
            inner = f"enum {kind.name}" if isinstance(kind, EnumType) else kind.name
            return {
                "name": name,
                "type": abi_type(kind) + suffix,
                "internalType": inner + suffix,
            }
    inner = f"struct {kind.name}" if isinstance(kind, StructType) and kind.cls else "tuple"
    components = [json_type(part.name, part.kind) for part in parts]
    return {
        "name": name,
        "type": "tuple" + suffix,
        "internalType": inner + suffix,
        "components": components,
    }


def is_dynamic(kind: ValueType) -> bool:
    """Return True if the encoding of the type has no fixed size."""
    match kind:
        case StringType() | BytesType() | ListType():
            return True
        case OptionalType(item=item):
            return is_dynamic(item)
        case StructType(members=members):
            return any(is_dynamic(member.kind) for member in members)
        case _:
            return False


def head_size(kind: ValueType) -> int:
    """Return the number of bytes of a value in its parent's head: its own body, or an offset to it."""
    return 32 if is_dynamic(kind) else body_size(kind)


def body_size(kind: ValueType) -> int:
    """Return the number of bytes of a value's own head, which is in its parent's head or at an offset."""
    match kind:
        case OptionalType(item=item):
            return 32 + head_size(item)
        case StructType(members=members):
            return sum(head_size(member.kind) for member in members)
        case _:
            return 32
