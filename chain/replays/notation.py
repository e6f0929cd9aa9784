"""The notation of values in a transcript: Python's own, but `@alice` for an address and `0x0102` for bytes.

Members of an Enum are written by name, records as calls with keyword arguments. A text is read as the type that the entry
declares, so it can never produce any other value.
"""

from __future__ import annotations

import ast
import re
from typing import Final

from chain.ledger.decoded.formatting import PythonStyle, ValueFormatter
from chain.replays.known_names import NAME, NameRegistry
from chain.types import Address
from chain.values import Field

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

    def address(self, value: Address) -> str:
        return f"@{super().address(value)}"

    def raw(self, value: bytes | bytearray) -> str:
        return PythonStyle.raw(self, value)


def read_args(text: str, params: tuple[Field, ...], known: NameRegistry) -> tuple[object, ...]:
    """Return the values between the parentheses of a call, each read as the type of its parameter."""
    try:
        call = ast.parse(f"_({_SPECIAL.sub(_as_python, text)})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise BadValue(f"({text}) cannot be read") from None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise BadValue(f"({text}) cannot be read")
    if call.keywords or len(call.args) != len(params):
        raise BadValue(f"it takes ({', '.join(member.name for member in params)}), not ({text})")

    def find(name: str) -> Address:
        address = known.find(name)
        if address is None:
            raise ValueError(f"there is no {name} here")
        return Address(address)

    try:
        values = [_plain(node) for node in call.args]
        return tuple(
            param.kind.from_json(value, param.name, find)
            for param, value in zip(params, values, strict=True)
        )
    except ValueError as error:
        raise BadValue(str(error)) from None


def _as_python(found: re.Match[str]) -> str:
    """Return a special form as a Python expression: a call of `_.at` or `_.raw`."""
    if found["address"] is not None:
        return f"_.at({found['address']!r})"
    return found[0] if found["bytes"] is None else f"_.raw({found['bytes']!r})"


def _plain(node: ast.expr) -> object:
    """Return the value of an expression as if it came from JSON: an object for a record, text for an address or bytes."""
    match node:
        case ast.Call(func=ast.Attribute(attr="at"), args=[ast.Constant(value=str(name))]):
            return name
        case ast.Call(func=ast.Attribute(attr="raw"), args=[ast.Constant(value=str(digits))]):
            return f"0x{digits}"
        case ast.Call(args=[], keywords=keywords):
            return {str(keyword.arg): _plain(keyword.value) for keyword in keywords}
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_plain(item) for item in items]
        case ast.Name(id=member):
            return member
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise BadValue(f"{ast.unparse(node)} is not a value") from None
