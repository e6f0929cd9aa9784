"""Search the receipts of all transactions.

$ boardchain receipts --chain duel.chain --last 20 --hashes
$ boardchain receipts --from first.testnet --failed --from-block 10 --chain duel.chain
$ boardchain receipts --error turn --since 2026-01-31 --chain duel.chain
"""

from __future__ import annotations

import click

from chain.cli import completion, lookup, options, output
from chain.cli.log_filter import LogFilter, log_filter_options
from chain.cli.receipt_view import show
from chain.ledger.comparisons import containing
from chain.simulator.catalogue import ContractCatalogue


@click.command()
@click.option(
    "--from", "--sender", "sender", metavar="ACCOUNT", shell_complete=completion.accounts,
    help="Only those of this sender.",
)  # fmt: skip
@click.option("--entry", shell_complete=completion.entries, help="Only calls of this entry.")
@click.option("--ok/--failed", "ok", default=None, help="Only successful, or only failed ones.")
@click.option("--error", metavar="TEXT", help="Only those that failed for a reason with this text.")
@log_filter_options
@click.option("--hashes", is_flag=True, help="Show the hash of each transaction.")
@click.option("--last", type=click.IntRange(min=1), help="Only the last N.")
@options.chain_option
@options.contracts_option
@output.json_option
def command(
    sender: str | None, entry: str | None, ok: bool | None, error: str | None, filter: LogFilter, hashes: bool,
    last: int | None, where: str, offered: ContractCatalogue, json: bool,
) -> None:  # fmt: skip
    """List the receipts of the chain in order, failed transactions included.

    For other questions, such as sums and groups, there is 'boardchain sql'.
    """
    with options.open_chain(where, offered) as chain:
        asked = {
            "entry": entry,
            "ok": ok,
            "sender": None if sender is None else lookup.sender(chain, sender),
            "error": None if error is None else containing(error),
        }
        try:
            receipts = chain.receipts.where(
                **{name: value for name, value in asked.items() if value is not None}
            )
        except TypeError as problem:
            raise click.UsageError(str(problem)) from None
        receipts = filter.narrowed(chain, receipts)
        show(chain, receipts[-last:] if last else list(receipts), json=json, hashes=hashes)
