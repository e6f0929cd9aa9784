"""Values as text for people: short for lists, complete with links on the page of a transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Final

from chain.abi.formatting import ValueFormatter, ValueStyle
from chain.explorer.names import Names
from chain.ledger.sql.json_values import portable, to_json
from chain.pictures.markup import Markup, element, escape, join, shorten
from chain.types import Address

LONG: Final = 240  # characters of a value that are shown at once
_MOST: Final = 6_000  # characters of a value that are shown at all
_COMMA: Final = Markup(", ")


class ShortWords(ValueFormatter):
    """Values for lists and headings: a text on its own has no quotes."""

    def args(self, values: Iterable[object]) -> str:
        """Return arguments, or the fields of an event."""
        return ", ".join(map(self.word, values))

    def word(self, value: object) -> str:
        """Return a value that is not part of another one."""
        return value if type(value) is str else self.show(value)


class WholeWords(ValueStyle[Markup]):
    """Values as Python writes them, with accounts and contracts as links. Texts are set apart from their surroundings."""

    def __init__(self, names: Names) -> None:
        self._names, self._text = names, ValueFormatter(names)

    def value(self, value: object) -> Markup:
        """Return a value; of a long one the beginning, which can be expanded."""
        text = self._text.show(value)
        if len(text) <= LONG:
            return self.show(value)
        beginning = element("summary", element("bdi", shorten(text, LONG // 2)))
        rest = text if len(text) <= _MOST else f"{text[:_MOST]}… ({len(text)} characters)"
        return element("details", beginning, element("bdi", rest))

    def member(self, value: Enum) -> Markup:
        return escape(value.name)

    def address(self, value: Address) -> Markup:
        return self._names.link(bytes(value))

    def raw(self, value: bytes | bytearray) -> Markup:
        return element("code", f"0x{value.hex()}")

    def items(self, value: list[object] | tuple[object, ...]) -> Markup:
        inner = _listed(map(self.show, value))
        if isinstance(value, list):
            return Markup(f"[{inner}]")
        return Markup(f"({inner},)" if len(value) == 1 else f"({inner})")

    def record(self, cls: type | str, fields: Mapping[str, object]) -> Markup:
        name = cls if isinstance(cls, str) else cls.__name__
        pairs = (join((f"{key}=", self.show(value))) for key, value in fields.items())
        return join((name, "(", _listed(pairs), ")"))

    def plain(self, value: object) -> Markup:
        if isinstance(value, str):
            return element("bdi", repr(value), **{"class": "text"})
        if isinstance(value, Mapping):
            pairs = (join((self.show(key), ": ", self.show(inner))) for key, inner in value.items())
            return Markup(f"{{{_listed(pairs)}}}")
        return element("span", str(value), **{"class": "none" if value is None else "number"})


def _listed(pieces: Iterable[Markup]) -> Markup:
    return Markup(_COMMA.join(pieces))


def keyword(value: object) -> str:
    """Return a value in the form in which people type it, also used in URLs."""
    shown = portable(value)
    if isinstance(value, bool):
        return str(value).lower()
    return (
        "null"
        if value is None
        else to_json(shown)
        if isinstance(shown, list | dict)
        else str(shown)
    )


def prose(text: str) -> Markup:
    """Return a sentence of a docstring, with text between backticks as code."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return escape(text)
    return join(element("code", piece) if i % 2 else piece for i, piece in enumerate(pieces))
