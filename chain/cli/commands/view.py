"""Ask a view of a contract: its value."""

from __future__ import annotations

import click

from chain.cli import (
    lookup,
    options,
    output,
)
from chain.errors import Reverted
from chain.simulator.catalogue import ContractCatalogue


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("contract")
@click.argument("entry")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@click.option("--from", "--sender", "sender", default="alice", help="Who asks.")
@click.option("--block", type=int, help="As it was at the end of that block.")
@options.chain_option
@options.contracts_option
@output.json_option
def command(
    contract: str, entry: str, args: tuple[str, ...], sender: str, block: int | None,
    where: str, offered: ContractCatalogue, json: bool,
) -> None:  # fmt: skip
    """Ask ENTRY of CONTRACT with ARGS, or what a call of it would return; nothing is changed."""
    with options.open_chain(where, offered) as chain:
        handle = lookup.contract(chain, contract, offered)
        asked, given = options.called(chain, lookup.entries(handle, entry, "view"), args)
        who = lookup.sender(chain, sender)
        if block is not None:
            asked = options.past(chain, block).handle(handle)[asked.spec.signature]
        data = asked.spec.encode_args((), given)
        seen = asked.simulate_calldata(data, sender=who)
    if seen.error is not None:
        raise Reverted(seen)
    if json:
        output.as_json({"value": seen.value, "logs": seen.logs, "gas": seen.gas_used})
        return
    for line in seen.logs:
        output.remark(line)
    output.value(seen.value)
