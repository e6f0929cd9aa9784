"""Values with more than one spelling in a query of `chain.sql`: members of an Enum, by name in any case or by their number, and
accounts, by address or by name.

A column holds one spelling. If a query has another one, its columns of such types get a collation that knows all of them, so
that `winner = 0` and `player = 'alice'` find rows wherever SQL compares. A value of the query that is no spelling is refused
when it is compared with such a column. Without need the columns stay as they are: SQLite itself compares faster.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from chain.ledger.known_contracts import Contracts
from chain.ledger.sql.big_integers import TOKEN
from chain.ledger.sql.tables import Column, Table
from chain.values import EnumType

_ADDRESS: Final = re.compile("0x[0-9a-f]{40}", re.IGNORECASE)
_BOUNDS: Final = re.compile(r"\b(?:limit|offset)\s+\d+", re.IGNORECASE)


def literals(question: str, given: Iterable[object]) -> Iterator[str]:
    """Yield the texts and whole numbers in a query, and those given for its `?` and `:name`."""
    for token in TOKEN.finditer(_BOUNDS.sub("", question)):
        if token[0].startswith("'"):
            yield token[0][1:-1].replace("''", "'")
        elif token["number"]:
            yield token["number"]
    yield from (str(value) for value in given if isinstance(value, str | int))


class Spellings:
    """The spellings of accounts and members that one query may use."""

    def __init__(self, ledger: Contracts, question: str, given: Sequence[object]) -> None:
        self._ledger, self._given = ledger, frozenset(literals(question, given))
        self.wrong: BaseException | None = None  # a value that is no spelling, or an interrupt

    def collations(self, table: Table, connection: sqlite3.Connection) -> dict[str, str]:
        """Return the collations by column that this query needs, and have the connection know them."""
        found = {}
        for column in table.columns:
            if not all(map(_is_usual(column), self._given)):
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
                if text in self._given:
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
