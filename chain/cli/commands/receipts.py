"""The record of every transaction, to be searched."""

from __future__ import annotations

from typing import Any

import click

from chain.cli import (
    lookup,
    options,
    output,
)
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
    """The receipts of the chain, failed transactions included, in their order."""
    with options.open_chain(where, offered) as chain:
        asked: dict[str, Any] = {"entry": entry, "ok": ok}
        if sender is not None:
            asked["sender"] = lookup.sender(chain, sender)
        try:
            found = chain.receipts.where(**{k: v for k, v in asked.items() if v is not None})
        except TypeError as wrong:
            raise click.UsageError(str(wrong)) from None
        if contract is not None:
            found = found.by_contract(lookup.contract_address(chain, contract))
        show(chain, list(found)[-(last or 0) :], json=json)
