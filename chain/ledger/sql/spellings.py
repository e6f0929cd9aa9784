"""Values with more than one spelling in a query of `chain.sql`: members of an Enum, by name in any case or by their number, and
accounts, by address or by name.

A column holds one spelling. If a query has another one, its columns of such types get a collation that knows all of them, so
that `winner = 0` and `player = 'alice'` find rows wherever SQL compares. A value of the query that is no spelling is refused
when it is compared with such a column. Without need the columns stay as they are, as SQLite itself compares faster, and by an
index: values that are plainly compared with another column are no need.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from chain.ledger.known_contracts import Contracts
from chain.ledger.sql.tables import Column, Table
from chain.values import EnumType

_ADDRESS: Final = re.compile("0x[0-9a-f]{40}", re.IGNORECASE)
_TOKEN: Final = re.compile(
    r"(?P<text>'(?:[^']|'')*')|(?P<name>\"[^\"]*\"|\[[^\]]*\]|`[^`]*`|[^\W\d]\w*)|(?P<number>\d[\w.]*)"
    r"|(?P<given>\?|[:@$]\w+)|(?P<sign>[=<>!]+)|(?P<comment>--[^\n]*|/\*.*?(?:\*/|$))|[(),]",
    re.DOTALL,
)
_COMPARING: Final = ("is", "not", "in", "like", "glob", "between")


class Literal(NamedTuple):
    """A text or a whole number in a query, and the name of what it is compared with, if that is plain to see."""

    text: str
    name: str | None


def literals(question: str, given: Mapping[str, object]) -> Iterator[Literal]:
    """Yield the texts and numbers in a query; `given` are those for its `:name`, and for each `?` by its number."""
    tokens = [found for found in _TOKEN.finditer(question) if found.lastgroup != "comment"]
    compared: str | None = None  # what the next value is compared with
    last, is_comparing, is_between, count = "", False, False, 0
    for i, token in enumerate(tokens):
        kind, word = token.lastgroup, token[0].strip('"[]`').casefold()
        was_comparing = is_comparing
        is_comparing = kind == "sign" or (kind == "name" and word in _COMPARING)
        if is_comparing:
            compared = compared if was_comparing else last
            is_between = word == "between"
        elif kind == "name" and word == "and" and is_between:
            is_between = False
        elif kind == "name" or word == ")":
            compared, last = None, last if word == ")" else word
        elif kind is not None and last not in ("limit", "offset"):
            count += word == "?"
            value: object = word
            if kind == "given":
                value = given.get(str(count) if word == "?" else token[0][1:])
            elif kind == "text":
                value = token[0][1:-1].replace("''", "'")
            if isinstance(value, str | int):
                yield Literal(str(value), compared or _name_after(tokens[i + 1 : i + 3]))


def _name_after(tokens: Sequence[re.Match[str]]) -> str | None:
    """Return the name that a value before it is compared with, as in `'alice' = player`."""
    if [token.lastgroup for token in tokens] != ["sign", "name"]:
        return None
    return tokens[1][0].strip('"[]`').casefold()


class Spellings:
    """The spellings of accounts and members that one query may use."""

    def __init__(
        self, ledger: Contracts, tables: Iterable[Table], question: str, given: Mapping[str, object]
    ) -> None:
        self._ledger, self._literals = ledger, [*literals(question, given)]
        self._texts = {literal.text for literal in self._literals}
        self._columns = {name.casefold() for table in tables for name in table.names}
        self.wrong: BaseException | None = None  # a value that is no spelling, or an interrupt

    def collations(self, table: Table, connection: sqlite3.Connection) -> dict[str, str]:
        """Return the collations by column that this query needs, and have the connection know them."""
        found = {}
        for column in table.columns:
            others = self._columns - {column.name.casefold()}
            texts = [each.text for each in self._literals if each.name not in others]
            if not all(map(_is_usual(column), texts)):
                name = f"chain:{table.name}.{column.name}"
                connection.create_collation(name, self._order(column, connection))
                found[column.name] = name
        return found

    def _order(self, column: Column, connection: sqlite3.Connection) -> Callable[[str, str], int]:
        """Return the order of the values of a column."""

        @lru_cache(1 << 10)
        def usual(text: str) -> str:
            try:
                return self._usual(column, text)
            except (ValueError, TypeError):
                if text in self._texts:
                    raise
                return text

        def order(one: str, other: str) -> int:
            try:
                one, other = usual(one), usual(other)
            except BaseException as stop:  # SQLite would go on
                self.wrong = stop
                connection.interrupt()
            return (one > other) - (one < other)

        return order

    def _usual(self, column: Column, text: str) -> str:
        """Return the spelling that a column holds."""
        if not isinstance(column.kind, EnumType):
            return str(self._ledger.address_of(text, column.name)).lower()
        try:
            return column.kind.parse(text).name
        except ValueError as error:
            raise ValueError(f"{column.name} = {text!r}: {error}") from None


def _is_usual(column: Column) -> Callable[[str], bool]:
    """Return a test whether a text may be compared with a column as SQLite does."""
    match column.kind:
        case None:
            return lambda text: True
        case EnumType(cls=cls):
            return cls.__members__.__contains__
        case _:
            return lambda text: bool(_ADDRESS.fullmatch(text)) or text.isdigit()
