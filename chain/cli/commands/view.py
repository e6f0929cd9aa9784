"""Call a view of a contract and print its value.

$ boardchain view Deblockle cube_state 0 4 4 --chain duel.chain
$ boardchain view Deblockle game_state 0 --block 3 --chain duel.chain --json
"""

from __future__ import annotations

import click

from chain.cli import completion, lookup, options, output
from chain.errors import Reverted
from chain.simulator.catalogue import ContractCatalogue


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("contract", shell_complete=completion.contracts)
@click.argument("entry", shell_complete=completion.entries)
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--from", "--sender", "sender", default="alice", help="The caller that the entry sees.", shell_complete=completion.accounts,
)  # fmt: skip
@click.option("--block", type=int, help="The value at the end of this block.")
@options.chain_option
@options.contracts_option
@output.json_option
def command(
    contract: str, entry: str, args: tuple[str, ...], sender: str, block: int | None,
    where: str, offered: ContractCatalogue, json: bool,
) -> None:  # fmt: skip
    """Call the view ENTRY of CONTRACT with ARGS. For any other entry show what a call would return. Nothing is changed."""
    with options.open_chain(where, offered) as chain:
        handle = lookup.contract(chain, contract)
        target, values = options.called(chain, lookup.entries(handle, entry, "view"), args)
        account = lookup.sender(chain, sender)
        if block is not None:
            target = options.past(chain, block).handle(handle)[target.spec.signature]
        data = target.spec.encode_args((), values)
        result = target.simulate_calldata(data, sender=account)
    if result.error is not None:
        raise Reverted(result)
    if json:
        output.as_json({"value": result.value, "logs": result.logs, "gas": result.gas_used})
        return
    if target.spec.kind != "view":
        output.remark(
            f"nothing was sent: {target.spec.name} is not a view: 'boardchain call' sends it"
        )
    for line in result.logs:
        output.remark(line)
    output.value(result.value)
