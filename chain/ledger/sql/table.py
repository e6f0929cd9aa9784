"""A table: a name, columns, and rows made from the ledger. Nothing here knows which tables there are, or who keeps them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from chain.ledger.sql import json_values as form
from chain.ledger.sql.json_values import Portable

if TYPE_CHECKING:
    from chain.schema.value_types import Field

Row: TypeAlias = tuple[Portable, ...]


class Column(NamedTuple):
    name: str
    type: str  # how SQLite compares what is in it
    references: str = ""  # the table and column that it points to


class Table(ABC):
    """A name, columns, and rows."""

    name: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    @cached_property
    def roomy(self) -> list[int]:
        """Which columns may hold numbers beyond 64 bits."""
        return [i for i, column in enumerate(self.columns) if column.type == form.ANY]

    @abstractmethod
    def rows(self) -> Iterator[Row]:
        """All rows, in an order that is the same on every run."""

    def create(self) -> str:
        """The statement that makes the table in SQLite."""
        columns = ", ".join(map(self._declare, self.columns))
        return f"create table {quoted(self.name)} ({columns})"

    def _declare(self, column: Column) -> str:
        link = f"references {column.references}" if column.references else ""
        return " ".join(filter(None, (quoted(column.name), column.type, link)))

    def insert(self) -> str:
        return f"insert into {quoted(self.name)} values ({', '.join('?' * len(self.columns))})"


class AppendOnlyTable(Table):
    """A table with a key that rises along the chain: it can be continued, and cut, at any place."""

    key: str

    @abstractmethod
    def end(self) -> int:
        """One more than the highest key there can be now."""

    @abstractmethod
    def rows(self, first: int = 0) -> Iterator[Row]:
        """All rows from a key on."""

    def _declare(self, column: Column) -> str:
        told = super()._declare(column)
        return f"{told} primary key" if column.name == self.key else told

    def delete_from(self) -> str:
        """The statement that takes out all rows from a key on."""
        return f"delete from {quoted(self.name)} where {quoted(self.key)} >= ?"


def field_readers(members: Iterable[Field]) -> list[Callable[[Any], Portable]]:
    def reader(member: Field) -> Callable[[Any], Portable]:
        make, name = form.top_level(member.kind), member.name
        return lambda record: make(getattr(record, name))

    return [reader(member) for member in members]


def columns_of(members: Iterable[Field], ours: Iterable[Column], prefix: str) -> tuple[Column, ...]:
    """The fields, then our columns, which keep their names: a field that is called so has the prefix before it."""
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
