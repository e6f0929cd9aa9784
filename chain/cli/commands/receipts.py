"""Search the receipts of all transactions."""

from __future__ import annotations

from typing import Any

import click

from chain.cli import lookup, options, output
from chain.cli.receipt_view import show
from chain.simulator.catalogue import ContractCatalogue


@click.command()
@click.option("--from", "--sender", "sender", metavar="ACCOUNT", help="Only those of that sender.")
@click.option("--contract", help="Only those of that contract: a name or an address.")
@click.option("--entry", help="Only calls of that entry.")
@click.option("--ok/--failed", "ok", default=None, help="Only those that went well, or did not.")
@click.option("--last", type=click.IntRange(min=1), help="Only the last so many.")
@options.chain_option
@options.contracts_option
@output.json_option
def command(
    sender: str | None, contract: str | None, entry: str | None, ok: bool | None, last: int | None,
    where: str, offered: ContractCatalogue, json: bool,
) -> None:  # fmt: skip
    """List the receipts of the chain in order, failed transactions included."""
    with options.open_chain(where, offered) as chain:
        filters: dict[str, Any] = {"entry": entry, "ok": ok}
        if sender is not None:
            filters["sender"] = lookup.sender(chain, sender)
        try:
            receipts = chain.receipts.where(
                **{name: value for name, value in filters.items() if value is not None}
            )
        except TypeError as error:
            raise click.UsageError(str(error)) from None
        if contract is not None:
            receipts = receipts.by_contract(lookup.contract_address(chain, contract))
        show(chain, list(receipts)[-(last or 0) :], json=json)
