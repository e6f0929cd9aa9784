"""Write receipts, events or a table to a file, as JSON lines or CSV.

$ boardchain export receipts duel.jsonl --chain duel.chain
$ boardchain export PiecePlaced moves.csv --chain games.chain
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import click

from chain.cli import options, output
from chain.cli.progress import ProgressStep, bar
from chain.simulator.catalogue import ContractCatalogue


@click.command()
@click.argument("what")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@options.chain_option
@options.contracts_option
@output.json_option
def command(what: str, file: Path, where: str, offered: ContractCatalogue, json: bool) -> None:
    """Write WHAT to FILE: receipts or events to a .jsonl, or any table of 'boardchain sql' to a .csv."""
    if file.suffix not in (".jsonl", ".csv"):
        raise click.UsageError(f"FILE must end in .jsonl or .csv, unlike {file.name}")
    if not file.parent.is_dir():
        raise click.UsageError(f"there is no folder {file.parent}")
    with options.open_chain(where, offered) as chain, _lines(file, len(chain.receipts)) as target:
        try:
            if file.suffix == ".csv":
                chain.export_csv(target, what)
            else:
                chain.export_jsonl(target, what)
        except (ValueError, TypeError, LookupError) as error:
            raise click.UsageError(str(error)) from None
    if json:
        output.as_json({"file": str(file), "lines": target.lines})
    else:
        output.remark(f"{target.lines} lines in {file}")


class _Counted:
    """A text file that counts its writes, each of which is one line."""

    def __init__(self, file: TextIO, step: ProgressStep) -> None:
        self._file, self._step, self.lines = file, step, 0

    def write(self, text: str) -> int:
        self.lines += 1
        self._step(1)
        return self._file.write(text)


@contextmanager
def _lines(file: Path, total: int) -> Iterator[Any]:
    """Open a new file that replaces `file` only when everything is written."""
    fresh = file.with_name(f"{file.name}-new")
    try:
        with fresh.open("w", encoding="utf-8", newline="\n") as opened, bar(f"writing {file.name}", total) as step:  # fmt: skip
            yield _Counted(opened, step)
        fresh.replace(file)
    finally:
        fresh.unlink(missing_ok=True)
