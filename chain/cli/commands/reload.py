"""Make a node reload its package.

$ boardchain reload --chain http://127.0.0.1:8545
"""

from __future__ import annotations

import click

from chain.cli import options, output
from chain.simulator.node_client import HttpNodeClient


@click.command()
@options.chain_option
@output.json_option
def command(where: str, json: bool) -> None:
    """Make the node at --chain import its package again and declare the contracts that were edited.

    The chain continues as it is, and deployed contracts keep their code. 'boardchain deploy PLAN --upgrade' replaces it.
    """
    if "://" not in where:
        raise click.UsageError(f"--chain is {where}: only a node can reload a package, http://…")
    programs = HttpNodeClient(where)("chain_reload")
    output.table(
        ("name", "digest"),
        [(program["name"], program["digest"]) for program in programs],
        json=json,
    )
    if not programs and not json:
        output.remark("nothing is new")
