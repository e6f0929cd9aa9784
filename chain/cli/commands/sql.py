"""Query the tables of a chain in SQL."""

from __future__ import annotations

import click

from chain.cli import options, output
from chain.simulator.catalogue import ContractCatalogue

_TABLES = "select name, kind, contract, columns from tables order by name"


@click.command()
@click.argument("question", required=False)
@click.argument("values", nargs=-1)
@options.chain_option
@options.contracts_option
@output.json_option
def command(
    question: str | None,
    values: tuple[str, ...],
    where: str,
    offered: ContractCatalogue,
    json: bool,
) -> None:
    """Answer QUESTION, in which each '?' takes one of VALUES. Without a question, list the tables.

    There are tables of receipts and logs, and one for each declared event and model.
    """
    with options.open_chain(where, offered) as chain:
        if question is None:
            question = _TABLES
        try:
            answer = chain.sql(question, *values)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
    output.table(answer.columns, answer, json=json)
