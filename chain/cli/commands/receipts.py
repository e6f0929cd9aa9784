"""Search the receipts of all transactions.

$ boardchain receipts --chain duel.chain --last 20 --hashes
$ boardchain receipts --from first.testnet --failed --from-block 10 --chain duel.chain
"""

from __future__ import annotations

import click

from chain.cli import completion, lookup, options, output
from chain.cli.receipt_view import show
from chain.simulator.catalogue import ContractCatalogue


@click.command()
@click.option(
    "--from", "--sender", "sender", metavar="ACCOUNT", shell_complete=completion.accounts,
    help="Only those of this sender.",
)  # fmt: skip
@click.option(
    "--contract", shell_complete=completion.contracts,
    help="Only those of this contract: a name or an address.",
)  # fmt: skip
@click.option("--entry", shell_complete=completion.entries, help="Only calls of this entry.")
@click.option("--ok/--failed", "ok", default=None, help="Only successful, or only failed ones.")
@click.option("--from-block", type=click.IntRange(min=0), help="Leave out earlier blocks.")
@click.option("--to-block", type=click.IntRange(min=0), help="Leave out later blocks.")
@click.option("--hashes", is_flag=True, help="Show the hash of each transaction.")
@click.option("--last", type=click.IntRange(min=1), help="Only the last N.")
@options.chain_option
@options.contracts_option
@output.json_option
def command(
    sender: str | None, contract: str | None, entry: str | None, ok: bool | None, from_block: int | None,
    to_block: int | None, hashes: bool, last: int | None, where: str, offered: ContractCatalogue, json: bool,
) -> None:  # fmt: skip
    """List the receipts of the chain in order, failed transactions included."""
    with options.open_chain(where, offered) as chain:
        filters: dict[str, object] = {"entry": entry, "ok": ok}
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
        receipts = receipts.between(blocks=(from_block, to_block))
        show(chain, receipts[-last:] if last else list(receipts), json=json, hashes=hashes)
