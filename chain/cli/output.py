"""Output of commands: tables and colour at a terminal, plain text in a pipe, JSON on request."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Final

import click

from chain.ledger.sql import json_values as form
from chain.ledger.sql.json_values import portable
from chain.ledger.sql.result import QueryResult

_GAP: Final = 2  # between the columns of a table
_FOLDED: Final = 12  # longer words may be folded


def is_terminal() -> bool:
    """Return True if stdout is a terminal."""
    return sys.stdout.isatty()


def as_json(value: object) -> None:
    """Print one JSON value, indented if stdout is a terminal."""
    click.echo(json.dumps(portable(value), ensure_ascii=False, indent=2 if is_terminal() else None))


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, json: bool) -> None:
    """Print rows under column names, as a table or as a JSON list of objects."""
    cells = [list(map(portable, row)) for row in rows]
    if json:
        as_json([dict(zip(columns, row, strict=True)) for row in cells])
    elif is_terminal():
        _draw(columns, [list(map(_cell, row)) for row in cells])
    else:
        click.echo(str(QueryResult(columns, [list(map(_cell, row)) for row in cells])))


def key_values(values: Mapping[str, object], *, json: bool) -> None:
    """Print names and values, as one line each or as a JSON object."""
    if json:
        as_json(values)
        return
    width = max(map(len, values), default=0)
    for name, value in values.items():
        label = click.style(name.ljust(width), fg="cyan") if is_terminal() else name.ljust(width)
        click.echo(f"{label}  {_cell(portable(value))}")


def value(value: object) -> None:
    """Print one value: text as it is, a value with parts as JSON."""
    plain = portable(value)
    if isinstance(plain, list | dict):
        as_json(plain)
    else:
        click.echo(
            "null" if plain is None else str(plain).lower() if isinstance(plain, bool) else plain
        )


def inline_pairs(values: Mapping[str, object]) -> str:
    """Return names and values in one line."""
    return ", ".join(f"{name}={form.sql_cell(value)}" for name, value in values.items())


def remark(text: str) -> None:
    """Print a remark on stderr, apart from the output of the command."""
    click.echo(text, err=True)


def _cell(value: form.Portable) -> form.Cell:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return form.sql_cell(value)


def _draw(columns: Sequence[str], rows: list[list[form.Cell]]) -> None:
    """Draw a table, or each row as a list where the table is too narrow to be read."""
    lines = [["" if cell is None else str(cell) for cell in row] for row in rows]
    console = import_module("rich.console").Console()
    widths = _widths(
        list(zip(columns, *lines, strict=True)), console.width - _GAP * (len(columns) - 1)
    )
    if widths is None:
        for number, line in enumerate(lines):
            click.echo("\n" * (number > 0), nl=False)
            key_values(dict(zip(columns, line, strict=True)), json=False)
        return
    layout = import_module("rich.table").Table(
        box=None, header_style="bold cyan", padding=(0, _GAP, 0, 0), pad_edge=False
    )
    for i, (name, width) in enumerate(zip(columns, widths, strict=True)):
        is_number = bool(rows) and all(isinstance(row[i], int) for row in rows)
        justify = "right" if is_number else "left"
        layout.add_column(name, justify=justify, overflow="fold", width=width)
    text = import_module("rich.text").Text
    for line in lines:
        layout.add_row(*map(text, line))
    console.print(layout)
    if not rows:
        remark("no rows")


def _widths(columns: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """Return the widths of columns that fit into the room, the widest shrunk; None if there is too little of it."""
    least = list(map(_least_width, columns))
    if sum(least) > room:
        return None
    widths = [
        max((len(line) for cell in column for line in cell.split("\n")), default=0)
        for column in columns
    ]
    while sum(widths) > room:
        shrinkable = (i for i, width in enumerate(widths) if width > least[i])
        widths[max(shrinkable, key=widths.__getitem__)] -= 1
    return widths


def _least_width(cells: Sequence[str]) -> int:
    """Return the width that a column needs: addresses and hashes stay whole, for copying."""
    words = [word for cell in cells for word in cell.split()]
    whole = (len(word) if word.startswith("0x") else min(len(word), _FOLDED) for word in words)
    return max(whole, default=0)


Option = Callable[[Callable[..., object]], Callable[..., object]]
json_option: Option = click.option("--json", "json", is_flag=True, help="Print JSON.")
