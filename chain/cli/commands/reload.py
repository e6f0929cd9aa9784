"""Have a node take up its package as it is now."""

from __future__ import annotations

import click

from chain.cli import (
    options,
    output,
)
from chain.simulator.node_client import HttpNodeClient


@click.command()
@options.chain_option
@output.json_option
def command(where: str, json: bool) -> None:
    """Have the node at --chain import its package anew, and declare what was edited.

    The chain goes on as it is, and what is deployed keeps its code; 'boardchain deploy PLAN --upgrade' replaces it.
    """
    if "://" not in where:
        raise click.UsageError(f"--chain is {where}: only a node has anything to take up, http://…")
    new = HttpNodeClient(where)("chain_reload")
    output.table(("name", "digest"), [(each["name"], each["digest"]) for each in new], json=json)
    if not new and not json:
        output.remark("nothing is new")
