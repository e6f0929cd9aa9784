"""Play all transactions of a chain again, and compare what comes of them."""

from __future__ import annotations

import click

from chain.cli import options, say
from chain.cli.progress import tracked
from chain.cli.wrong import NO
from chain.offered import Offered
from chain.replay import replay


@click.command()
@click.argument("file")
@options.contracts_option
@say.json_option
def command(file: str, offered: Offered, json: bool) -> None:
    """Run every transaction of the chain in FILE (or of the node at a URL) again on a fresh chain, with the contracts of now.

    Says where the first receipt differs, if one does; otherwise state and blocks are the same to the bit.
    """
    with options.opened(file, offered) as chain:
        total = len(chain.receipts)
        again, difference = replay(chain, lambda steps: tracked(steps, "replaying", total))
        root = again.state_root(len(again.blocks) - 1)
    found = {"transactions": len(again.receipts), "of": total, "difference": difference, "state_root": root}  # fmt: skip
    if json:
        say.as_json(found)
    elif difference is None:
        say.facts(
            {"replayed": f"{total} transactions, all the same", "state root": root}, json=False
        )
    else:
        click.echo(difference)
    if difference is not None:
        click.get_current_context().exit(NO)
