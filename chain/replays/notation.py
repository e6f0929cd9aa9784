"""Values as a transcript writes them, and back: Python's own notation, but `@alice` for an address and `0x0102` for bytes.

Members of an Enum go by name, records as calls with names. What is read is read as the kind that the entry declares, so a
text can never make anything but such a value.
"""

from __future__ import annotations

import ast
import re
from typing import Any, Final

from chain.ledger.decoded.formatting import ValueFormatter
from chain.replays.known_names import (
    NAME,
    NameRegistry,
)
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
    """What is written there is no value of that kind."""


class ExactFormatter(ValueFormatter):
    """Writes values down so that they can be read back."""

    def show(self, value: Any) -> str:
        if isinstance(value, Address):
            return f"@{self.names.display(value)}"
        return f"0x{value.hex()}" if isinstance(value, bytes) else super().show(value)


def read_args(text: str, params: tuple[Field, ...], known: NameRegistry) -> tuple[Any, ...]:
    """The values between the brackets of a call, each as its parameter declares it."""
    try:
        call = ast.parse(f"_({_SPECIAL.sub(_as_python, text)})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise BadValue(f"({text}) cannot be read") from None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise BadValue(f"({text}) cannot be read")
    if call.keywords or len(call.args) != len(params):
        raise BadValue(f"it takes ({', '.join(member.name for member in params)}), not ({text})")
    reader = _Reader(known)
    return tuple(reader.read(node, each.kind) for node, each in zip(call.args, params, strict=True))


def _as_python(found: re.Match[str]) -> str:
    if found["address"] is not None:
        return f"_.at({found['address']!r})"
    return found[0] if found["bytes"] is None else f"_.raw({found['bytes']!r})"


class _Reader:
    def __init__(self, known: NameRegistry) -> None:
        self._known = known

    def read(self, node: ast.expr, kind: ValueType) -> Any:
        match kind:
            case OptionalType(item=item):
                is_none = isinstance(node, ast.Constant) and node.value is None
                return None if is_none else self.read(node, item)
            case ListType(item=item, make=make) if isinstance(node, ast.List | ast.Tuple):
                return make([self.read(each, item) for each in node.elts])
            case StructType(cls=None, members=members) if isinstance(node, ast.Tuple | ast.List):
                return tuple(self._members(node.elts, members))
            case StructType(cls=cls, members=members) if isinstance(node, ast.Call) and cls:
                given = {word.arg: word.value for word in node.keywords}
                if set(given) != {member.name for member in members}:
                    raise BadValue(f"{kind.name} has other members than {ast.unparse(node)}")
                return cls(
                    **{each.name: self.read(given[each.name], each.kind) for each in members}
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
        return [self.read(node, each.kind) for node, each in zip(nodes, members, strict=True)]

    def _scalar(self, node: ast.expr, kind: ValueType) -> Any:
        special = _special(node)
        if special is not None:
            how, text = special
            return self._address(text) if how == "at" else bytes.fromhex(text)
        if isinstance(kind, AddressType):
            raise BadValue(f"{ast.unparse(node)} is no address: write @ and a name")
        try:
            return ast.literal_eval(node)
        except ValueError:
            raise BadValue(f"{ast.unparse(node)} is no {kind.name}") from None

    def _address(self, name: str) -> Address:
        found = self._known.find(name)
        if found is None:
            raise BadValue(f"nobody is called {name} here")
        return Address(found)


def _special(node: ast.expr) -> tuple[str, str] | None:
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="_"), attr="at" | "raw" as how),
            args=[ast.Constant(value=str(text))],
        ):
            return how, text
    return None
