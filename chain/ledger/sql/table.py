"""A table: a name, columns, and rows made from the ledger. This module does not know the actual tables or their users."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from chain.ledger.sql import json_values as form
from chain.schema.value_types import Field

TableRow: TypeAlias = tuple[Any, ...]


class Column(NamedTuple):
    """A column of a table."""

    name: str
    type: str  # how SQLite compares its values
    references: str = ""  # the table and column that it refers to


class SqlTable(ABC):
    """A name, columns, and rows."""

    name: str
    columns: tuple[Column, ...]
    # The indexes of columns that hold more than texts, numbers of 64 bits and None.
    varied: Sequence[int] = ()

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    @cached_property
    def roomy(self) -> list[int]:
        """The indexes of the columns that may hold numbers beyond 64 bits."""
        return [i for i, column in enumerate(self.columns) if column.type == form.ANY]

    @abstractmethod
    def rows(self) -> Iterator[TableRow]:
        """Yield all rows, in an order that is the same on every run."""

    def kept(self, row: TableRow) -> list[form.Cell | float]:
        """Return the cells of a row as a chain's file keeps them."""
        cells = list(row)
        for i in self.varied:
            cells[i] = form.kept_cell(cells[i])
        return cells

    def kept_columns(self, rows: Sequence[TableRow]) -> list[Sequence[Any]]:
        """Return the columns of rows, with the cells as a chain's file keeps them."""
        columns: list[Sequence[Any]] = [*zip(*rows, strict=True)]
        for i in self.varied:
            columns[i] = form.kept_column(columns[i])
        return columns

    def create(self) -> str:
        """Return the statement that creates the table in SQLite."""
        columns = ", ".join(map(self._declare, self.columns))
        return f"create table main.{quoted(self.name)} ({columns})"

    def _declare(self, column: Column) -> str:
        link = f"references {column.references}" if column.references else ""
        return " ".join(filter(None, (quoted(column.name), column.type, link)))

    def insert(self) -> str:
        """Return the statement that inserts a row."""
        return self.insert_into(range(len(self.columns)))

    def insert_into(self, filled: Sequence[int], rows: int = 1) -> str:
        """Return the statement that inserts so many rows, of which only the columns with these indexes are given."""
        names = ", ".join(quoted(self.columns[i].name) for i in filled)
        marks = f"({', '.join('?' * len(filled))})"
        return f"insert into main.{quoted(self.name)} ({names}) values {', '.join([marks] * rows)}"


class AppendOnlyTable(SqlTable):
    """A table with a key that rises along the chain: it can be continued and truncated at any key."""

    key: str

    @abstractmethod
    def end(self) -> int:
        """Return one more than the highest possible key at present."""

    @abstractmethod
    def rows(self, first: int = 0) -> Iterator[TableRow]:
        """Yield all rows from a key on."""

    def _declare(self, column: Column) -> str:
        declaration = super()._declare(column)
        return f"{declaration} primary key" if column.name == self.key else declaration

    def delete_from(self) -> str:
        """Return the statement that deletes all rows from a key on."""
        return f"delete from main.{quoted(self.name)} where {quoted(self.key)} >= ?"


def columns_of(members: Iterable[Field], ours: Iterable[Column], prefix: str) -> tuple[Column, ...]:
    """Return the columns of the members, then `ours`.

    Ours keep their names; a member whose name is already taken has `prefix` before it.
    """
    ours = tuple(ours)
    taken = {column.name.casefold() for column in ours}
    columns = []
    for member in members:
        name, number = member.name, 1
        while name.casefold() in taken:
            name = f"{prefix}_{member.name}" if number == 1 else f"{prefix}_{member.name}_{number}"
            number += 1
        taken.add(name.casefold())
        columns.append(Column(name, form.column_type(member.kind)))
    return (*columns, *ours)


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
