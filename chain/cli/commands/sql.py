"""Query the tables of a chain in SQL.

$ boardchain sql --chain duel.chain
$ boardchain sql "select entry, sum(gas_used) gas from receipts group by entry" --chain duel.chain
$ boardchain sql "select * from receipts where sender_name = ?" alice --chain duel.chain --json
$ boardchain sql --interactive --chain duel.chain
"""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib import import_module

import click

from chain.cli import options, output
from chain.cli.progress import bar
from chain.ledger.sql.sql_view import QueryLimits
from chain.simulator.catalogue import ContractCatalogue
from chain.simulator.chain import Chain

_TABLES = "select name, kind, contract, columns from tables order by name"
_STEPS_A_SECOND = 20_000_000  # steps of SQLite, roughly
_SLICE = 0.5  # seconds of filling tables before progress is shown


@click.command()
@click.argument("question", required=False)
@click.argument("values", nargs=-1)
@click.option(
    "-i", "--interactive", is_flag=True, help="Read and answer queries until the input ends."
)
@click.option(
    "--most", type=click.IntRange(min=1), default=100_000, show_default=True, help="Refuse a result with more rows."
)  # fmt: skip
@click.option(
    "--seconds", type=click.IntRange(min=1), default=60, show_default=True,
    help="Give up after about this many seconds.",
)  # fmt: skip
@options.chain_option
@options.contracts_option
@output.json_option
def command(
    question: str | None, values: tuple[str, ...], interactive: bool, most: int, seconds: int,
    where: str, offered: ContractCatalogue, json: bool,
) -> None:  # fmt: skip
    """Run QUESTION, a query in which VALUES replace each '?'. Without a query, list the tables.

    There are tables of receipts and logs, and one for each declared event and model. Ctrl-C stops a query that takes long.
    """
    limits = QueryLimits(rows=most, steps=seconds * _STEPS_A_SECOND)
    with options.open_chain(where, offered) as chain:
        if interactive:
            _ask_on(chain, limits, json=json)
            return
        try:
            _answer(chain, question or _TABLES, values, limits, json=json)
        except ValueError as error:
            raise click.UsageError(str(error)) from None


def _answer(
    chain: Chain, question: str, values: tuple[str, ...], limits: QueryLimits, *, json: bool
) -> None:
    _ = chain.head  # brings the ledger of a remote chain up to date
    with bar("filling the tables", None) as step:
        while not chain.database.fill(question, _SLICE):
            step(0)
    answer = chain.database.query(question, values, {}, limits)
    output.table(answer.columns, answer, json=json)


def _ask_on(chain: Chain, limits: QueryLimits, *, json: bool) -> None:
    """Run queries, each of which ends with a semicolon or an empty line, until the input ends."""
    with suppress(ImportError):
        import_module("readline")
    output.remark("a query ends with ';'; .tables lists the tables, .quit ends")
    lines: list[str] = []
    while True:
        try:
            line = input("    > " if lines else "sql > ") if sys.stdin.isatty() else input()
        except EOFError:
            line, is_end = "", True
        except KeyboardInterrupt:
            lines.clear()
            click.echo()
            continue
        else:
            is_end = line.strip() in (".quit", ".exit")
        if line.strip() == ".tables":
            lines, line = [_TABLES], ""
        if not is_end and line.strip():
            lines.append(line)
        question = "\n".join(lines).strip().removesuffix(";")
        if question and (is_end or not line.strip() or line.rstrip().endswith(";")):
            lines.clear()
            _try(chain, question, limits, json=json)
        if is_end:
            return


def _try(chain: Chain, question: str, limits: QueryLimits, *, json: bool) -> None:
    """Run a query, or print why it failed."""
    try:
        _answer(chain, question, (), limits, json=json)
    except ValueError as error:
        output.remark(str(error))
    except KeyboardInterrupt:
        output.remark("stopped")
