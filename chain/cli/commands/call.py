"""Call an entry of a contract in a transaction.

$ boardchain call Deblockle create_game first.testnet second.testnet 3 --chain duel.chain
$ boardchain call Deblockle pass_move 0 --from second.testnet --chain duel.chain
"""

from __future__ import annotations

import click

from chain.cli import completion, lookup, options, output
from chain.cli.receipt_view import report
from chain.simulator.catalogue import ContractCatalogue


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("contract", shell_complete=completion.contracts)
@click.argument("entry", shell_complete=completion.entries)
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@lookup.sender_option
@lookup.value_option
@click.option(
    "--gas", type=click.IntRange(min=0), help="The gas limit; by default that of the block."
)
@options.chain_option
@options.contracts_option
@output.json_option
def command(
    contract: str, entry: str, args: tuple[str, ...], sender: str, value: int, gas: int | None,
    where: str, offered: ContractCatalogue, json: bool,
) -> None:  # fmt: skip
    """Call ENTRY of CONTRACT (a name or an address) with ARGS: one word each, or all as JSON."""
    with options.open_chain(where, offered, writes=True) as chain:
        handle = lookup.contract(chain, contract)
        target, values = options.called(chain, lookup.entries(handle, entry, "call"), args)
        wei = {"value": value} if value or target.spec.payable else {}
        receipt = chain.send(
            handle.address, target.spec.encode_args((), values), sender=lookup.sender(chain, sender),
            gas=gas, **wei,
        )  # fmt: skip
        report(receipt, json=json)
