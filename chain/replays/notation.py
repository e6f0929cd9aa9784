"""The notation of values in a transcript: Python's own, but `@alice` for an address and `0x0102` for bytes.

Members of an Enum are written by name, records as calls with keyword arguments. A text is read as the type that the entry
declares, so it can never produce any other value.
"""

from __future__ import annotations

import ast
import re
from typing import Any, Final

from chain.ledger.decoded.formatting import ValueFormatter
from chain.replays.known_names import NAME, NameRegistry
from chain.schema.value_types import (
    AddressType,
    EnumType,
    Field,
    ListType,
    OptionalType,
    StructType,
    ValueType,
)
from chain.types import Address

_SPECIAL: Final = re.compile(
    r"'(?:\\.|[^'\\])*'"
    r'|"(?:\\.|[^"\\])*"'
    rf"|@(?P<address>0x[0-9a-fA-F]{{40}}|{NAME})"
    r"|\b0x(?P<bytes>(?:[0-9a-f]{2})*)\b"
)


class BadValue(ValueError):
    """The text is not a value of the declared type."""


class ExactFormatter(ValueFormatter):
    """Formats values so that they can be read back."""

    def show(self, value: Any) -> str:
        if isinstance(value, Address):
            return f"@{self.names.display(value)}"
        return f"0x{value.hex()}" if isinstance(value, bytes) else super().show(value)


def read_args(text: str, params: tuple[Field, ...], known: NameRegistry) -> tuple[Any, ...]:
    """Return the values between the parentheses of a call, each read as the type of its parameter."""
    try:
        call = ast.parse(f"_({_SPECIAL.sub(_as_python, text)})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise BadValue(f"({text}) cannot be read") from None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise BadValue(f"({text}) cannot be read")
    if call.keywords or len(call.args) != len(params):
        raise BadValue(f"it takes ({', '.join(member.name for member in params)}), not ({text})")
    reader = _Reader(known)
    return tuple(
        reader.read(node, param.kind) for node, param in zip(call.args, params, strict=True)
    )


def _as_python(found: re.Match[str]) -> str:
    """Return a special form as a Python expression: a call of `_.at` or `_.raw`."""
    if found["address"] is not None:
        return f"_.at({found['address']!r})"
    return found[0] if found["bytes"] is None else f"_.raw({found['bytes']!r})"


class _Reader:
    """Reads values from syntax trees, with the names that are known."""

    def __init__(self, known: NameRegistry) -> None:
        self._known = known

    def read(self, node: ast.expr, kind: ValueType) -> Any:
        match kind:
            case OptionalType(item=item):
                is_none = isinstance(node, ast.Constant) and node.value is None
                return None if is_none else self.read(node, item)
            case ListType(item=item, make=make) if isinstance(node, ast.List | ast.Tuple):
                return make([self.read(element, item) for element in node.elts])
            case StructType(cls=None, members=members) if isinstance(node, ast.Tuple | ast.List):
                return tuple(self._members(node.elts, members))
            case StructType(cls=cls, members=members) if isinstance(node, ast.Call) and cls:
                values = {keyword.arg: keyword.value for keyword in node.keywords}
                if set(values) != {member.name for member in members}:
                    raise BadValue(f"{kind.name} has other members than {ast.unparse(node)}")
                return cls(
                    **{
                        member.name: self.read(values[member.name], member.kind)
                        for member in members
                    }
                )
            case EnumType(cls=choice) if (
                isinstance(node, ast.Name) and node.id in choice.__members__
            ):
                return choice[node.id]
            case ListType() | StructType() | EnumType():
                raise BadValue(f"{ast.unparse(node)} is no {kind.name}")
        return self._scalar(node, kind)

    def _members(self, nodes: list[ast.expr], members: tuple[Field, ...]) -> list[Any]:
        if len(nodes) != len(members):
            raise BadValue(f"{len(nodes)} members are there, {len(members)} are declared")
        return [self.read(node, member.kind) for node, member in zip(nodes, members, strict=True)]

    def _scalar(self, node: ast.expr, kind: ValueType) -> Any:
        special = _special(node)
        if special is not None:
            form, text = special
            return self._address(text) if form == "at" else bytes.fromhex(text)
        if isinstance(kind, AddressType):
            raise BadValue(f"{ast.unparse(node)} is not an address: write @ and a name")
        try:
            return ast.literal_eval(node)
        except ValueError:
            raise BadValue(f"{ast.unparse(node)} is no {kind.name}") from None

    def _address(self, name: str) -> Address:
        address = self._known.find(name)
        if address is None:
            raise BadValue(f"nobody is called {name} here")
        return Address(address)


def _special(node: ast.expr) -> tuple[str, str] | None:
    """Return the form (`at` or `raw`) and the text of an address or bytes; None for any other expression."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="_"), attr="at" | "raw" as form),
            args=[ast.Constant(value=str(text))],
        ):
            return form, text
    return None
