"""What a command answers: tables and colour for people at a terminal, plain text in a pipe, JSON where asked for."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

import click

from chain.ledger.sql import json_values as form
from chain.ledger.sql.json_values import to_json_untyped
from chain.ledger.sql.result import QueryResult


def is_terminal() -> bool:
    return sys.stdout.isatty()


def as_json(value: Any) -> None:
    """One JSON value, laid out for people where they look at it."""
    click.echo(
        json.dumps(to_json_untyped(value), ensure_ascii=False, indent=2 if is_terminal() else None)
    )


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, json: bool) -> None:
    """Rows under names: a table, or a JSON list of objects."""
    listed = [list(map(to_json_untyped, row)) for row in rows]
    if json:
        as_json([dict(zip(columns, row, strict=True)) for row in listed])
    elif is_terminal():
        _draw(columns, [list(map(_cell, row)) for row in listed])
    else:
        click.echo(str(QueryResult(columns, [list(map(_cell, row)) for row in listed])))


def key_values(values: Mapping[str, Any], *, json: bool) -> None:
    """Names and values: a line for each, or a JSON object."""
    if json:
        as_json(values)
        return
    width = max(map(len, values), default=0)
    for name, value in values.items():
        label = click.style(name.ljust(width), fg="cyan") if is_terminal() else name.ljust(width)
        click.echo(f"{label}  {_cell(to_json_untyped(value))}")


def value(value: Any) -> None:
    """One value: a text as it is, what has parts as JSON."""
    shown = to_json_untyped(value)
    if isinstance(shown, list | dict):
        as_json(shown)
    else:
        click.echo(
            "null" if shown is None else str(shown).lower() if isinstance(shown, bool) else shown
        )


def inline_pairs(values: Mapping[str, Any]) -> str:
    """Names and values in a line."""
    return ", ".join(f"{name}={form.sql_cell(value)}" for name, value in values.items())


def remark(text: str) -> None:
    """A remark that is no part of the answer."""
    click.echo(text, err=True)


def _cell(value: form.Portable) -> form.Cell:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return form.sql_cell(value)


def _draw(columns: Sequence[str], rows: list[list[form.Cell]]) -> None:
    rich, text = import_module("rich.table"), import_module("rich.text")
    # Narrow gaps: the addresses of the accounts shall stay whole in 80 columns.
    drawn = rich.Table(
        box=import_module("rich.box").SIMPLE_HEAD, header_style="bold cyan",
        padding=(0, 0, 0, 1), pad_edge=False,
    )  # fmt: skip
    for i, name in enumerate(columns):
        number = bool(rows) and all(isinstance(row[i], int) for row in rows)
        drawn.add_column(name, justify="right" if number else "left", overflow="fold")
    for row in rows:
        drawn.add_row(*(text.Text("" if cell is None else str(cell)) for cell in row))
    import_module("rich.console").Console().print(drawn)


Option = Callable[[Callable[..., Any]], Callable[..., Any]]
json_option: Option = click.option("--json", "json", is_flag=True, help="Answer in JSON.")
