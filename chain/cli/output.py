"""Output of commands: tables and colour at a terminal, plain text in a pipe, JSON on request."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module

import click

from chain.ledger.sql import json_values as form
from chain.ledger.sql.json_values import portable
from chain.ledger.sql.result import QueryResult


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
    rich, text = import_module("rich.table"), import_module("rich.text")
    # The gaps are narrow so that the addresses of accounts fit into 80 columns.
    layout = rich.Table(
        box=import_module("rich.box").SIMPLE_HEAD, header_style="bold cyan",
        padding=(0, 0, 0, 1), pad_edge=False,
    )  # fmt: skip
    for i, name in enumerate(columns):
        is_number = bool(rows) and all(isinstance(row[i], int) for row in rows)
        layout.add_column(name, justify="right" if is_number else "left", overflow="fold")
    for row in rows:
        layout.add_row(*(text.Text("" if cell is None else str(cell)) for cell in row))
    import_module("rich.console").Console().print(layout)


Option = Callable[[Callable[..., object]], Callable[..., object]]
json_option: Option = click.option("--json", "json", is_flag=True, help="Print JSON.")
