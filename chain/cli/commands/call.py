"""Call an entry of a contract: a transaction."""

from __future__ import annotations

import click

from chain.cli import options, say, targets
from chain.cli.receipts import tell
from chain.offered import Offered


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("contract")
@click.argument("entry")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@targets.sender_option
@click.option("--value", type=click.IntRange(min=0), default=0, help="Wei to send along.")
@click.option("--gas", type=click.IntRange(min=0), help="The gas limit; the block's, if unsaid.")
@options.chain_option
@options.contracts_option
@say.json_option
def command(
    contract: str, entry: str, args: tuple[str, ...], sender: str, value: int, gas: int | None,
    where: str, offered: Offered, json: bool,
) -> None:  # fmt: skip
    """Call ENTRY of CONTRACT (a name or an address) with ARGS: a word each, or all as JSON."""
    with options.opened(where, offered) as chain:
        handle = targets.contract(chain, contract, offered)
        called, given = options.called(chain, targets.entries(handle, entry, "call"), args)
        wei = {"value": value} if value or called.spec.payable else {}
        receipt = chain.send(
            handle.address, called.spec.encode_args((), given), sender=targets.sender(chain, sender),
            gas=gas, **wei,
        )  # fmt: skip
        tell(receipt, json=json)
