"""The result of an SQL query: a list of rows that prints as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, SupportsIndex, overload

from chain.foundation.sealed import Sealed, put


class Row(Sealed, tuple[object, ...]):
    """The values of a row by index and by name: `row[0]`, `row["player"]`, `dict(row)`. Equal to the plain tuple.

    >>> row = chain.sql("select entry, ok from receipts")[1]
    >>> row["entry"], row[1], dict(row), row.keys()
    ('join', 1, {'entry': 'join', 'ok': 1}, ['entry', 'ok'])
    """

    _names: Sequence[str]

    @classmethod
    def named(cls, names: Sequence[str], values: Iterable[object]) -> Row:
        """Return a row with names."""
        row = cls(values)
        put(row, "_names", names)
        return row

    def keys(self) -> Sequence[str]:
        """Return the names of the columns."""
        return self._names

    @overload
    def __getitem__(self, key: SupportsIndex | str) -> Any: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[object, ...]: ...
    def __getitem__(self, key: SupportsIndex | slice | str) -> Any:
        if not isinstance(key, str):
            return super().__getitem__(key)
        if key not in self._names:
            raise KeyError(f"there is no column '{key}'; there are {', '.join(self._names)}")
        return super().__getitem__(self._names.index(key))

    def __repr__(self) -> str:
        pairs = zip(self._names, self, strict=True)
        return f"Row({', '.join(f'{name}={value!r}' for name, value in pairs)})"


class QueryResult(Sealed, list[Row]):
    """Rows with the names of their columns. It prints as a table, with numbers to the right and text to the left.

    >>> rows = chain.sql("select player, square from Moved")
    >>> rows.columns, rows[0]["square"]
    (['player', 'square'], 4)
    >>> print(chain.sql("select name(player) player, square from Moved"))
    player  square
    ------  ------
    alice        4
    """

    columns: Sequence[str]  # the names of the columns

    def __init__(self, columns: Sequence[str], rows: Iterable[Iterable[object]]) -> None:
        super().__init__(Row.named(columns, row) for row in rows)
        put(self, "columns", columns)

    def __str__(self) -> str:
        cells = [[_show(value) for value in row] for row in self]
        widths = [max(map(len, column)) for column in zip(self.columns, *cells, strict=True)]
        right = [all(isinstance(row[i], int | float) for row in self) for i in range(len(widths))]
        lines = [self.columns, ["-" * width for width in widths], *cells]
        return "\n".join(
            "  ".join(
                text.rjust(width) if number else text.ljust(width)
                for text, width, number in zip(line, widths, right, strict=True)
            ).rstrip()
            for line in lines
        )


def _show(value: object) -> str:
    if value is None:
        return "null"
    return str(value).replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
