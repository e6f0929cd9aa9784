"""A table: a name, columns, and rows made from the ledger. Nothing here knows which tables there are, or who keeps them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from chain.ledger import portable as form
from chain.ledger.portable import Portable

if TYPE_CHECKING:
    from chain.kinds import Member

Row: TypeAlias = tuple[Portable, ...]


class Column(NamedTuple):
    name: str
    type: str  # how SQLite compares what is in it


class Table(ABC):
    """A name, columns, and rows."""

    name: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    @abstractmethod
    def rows(self) -> Iterator[Row]:
        """All rows, in an order that is the same on every run."""

    def cells(self, *where: int) -> Iterator[tuple[form.Cell, ...]]:
        """The rows as SQLite takes them."""
        return (tuple(map(form.cell, row)) for row in self.rows(*where))

    def create(self) -> str:
        """The statement that makes the table in SQLite."""
        return f"create table {quoted(self.name)} ({', '.join(map(self._declare, self.columns))})"

    def _declare(self, column: Column) -> str:
        return f"{quoted(column.name)} {column.type}"

    def insert(self) -> str:
        return f"insert into {quoted(self.name)} values ({', '.join('?' * len(self.columns))})"


class Growing(Table):
    """A table with a key that rises along the chain: it can be continued, and cut, at any place."""

    key: str

    @abstractmethod
    def end(self) -> int:
        """One more than the highest key there can be now."""

    @abstractmethod
    def rows(self, first: int = 0) -> Iterator[Row]:
        """All rows from a key on."""

    def _declare(self, column: Column) -> str:
        return super()._declare(column) + (" primary key" if column.name == self.key else "")

    def cut(self) -> str:
        """The statement that takes out all rows from a key on."""
        return f"delete from {quoted(self.name)} where {quoted(self.key)} >= ?"


def readers(members: Iterable[Member]) -> list[Callable[[Any], Portable]]:
    def reader(member: Member) -> Callable[[Any], Portable]:
        make, name = form.portable(member.kind), member.name
        return lambda record: make(getattr(record, name))

    return [reader(member) for member in members]


def columns_of(members: Iterable[Member], more: Iterable[Column]) -> tuple[Column, ...]:
    columns = [*(Column(member.name, form.column_type(member.kind)) for member in members), *more]
    names = distinct(column.name for column in columns)
    return tuple(Column(name, column.type) for name, column in zip(names, columns, strict=True))


def distinct(names: Iterable[str]) -> list[str]:
    """The names in order; one that came before, capitals aside, gets a number behind it."""
    found: dict[str, str] = {}
    for name in names:
        number, free = 1, name
        while free.casefold() in found:
            number += 1
            free = f"{name}_{number}"
        found[free.casefold()] = free
    return list(found.values())


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
