"""Show one transaction in full: its calls, reads, writes and logs.

$ boardchain trace -1 --chain duel.chain
"""

from __future__ import annotations

import click

from chain.cli import options, output
from chain.cli.receipt_view import details
from chain.ledger.receipts import Receipt
from chain.simulator.catalogue import ContractCatalogue
from chain.simulator.chain import Chain


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("tx")
@options.chain_option
@options.contracts_option
@output.json_option
def command(tx: str, where: str, offered: ContractCatalogue, json: bool) -> None:
    """Show the transaction TX, given its hash or its position in 'boardchain receipts'; -1 is the last."""
    with options.open_chain(where, offered) as chain:
        details(chain, _find_receipt(chain, tx), json=json)


def _find_receipt(chain: Chain, tx: str) -> Receipt:
    receipts = chain.receipts
    try:
        by_hash = tx.startswith("0x")
        receipt = chain.ledger.find(bytes.fromhex(tx[2:])) if by_hash else receipts[int(tx)]
    except IndexError:
        raise click.UsageError(f"there is no transaction {tx}: there are {len(receipts)}") from None
    except ValueError:
        raise click.UsageError(
            f"{tx!r} is not a transaction: give its hash or its position"
        ) from None
    if receipt is None:
        raise click.UsageError(f"there is no transaction {tx} on this chain")
    return receipt
