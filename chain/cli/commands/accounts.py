"""The accounts of a chain with what they have."""

from __future__ import annotations

import click

from chain.cli import output
from chain.cli.options import (
    chain_option,
    open_chain,
)
from chain.simulator.chain import ETHER


@click.command()
@chain_option
@click.option("--keys", is_flag=True, help="Show the private keys too; they are for tests.")
@output.json_option
def command(where: str, keys: bool, json: bool) -> None:
    """The accounts that the chain can sign for: by number, name and address, with their balance in ether."""
    with open_chain(where) as chain:
        others = [each for each in chain.keys.values() if each not in chain.accounts]
        rows = [
            (i, each.name, each, _ether(chain.balance(each)), chain.nonce(each), each.key)
            for i, each in enumerate([*chain.accounts, *others])
        ]
    columns = ("index", "name", "address", "balance", "nonce", "key")
    shown = len(columns) if keys else -1
    output.table(columns[:shown], [row[:shown] for row in rows], json=json)


def _ether(wei: int) -> str:
    whole, rest = divmod(wei, ETHER)
    return f"{whole}.{rest:018d}".rstrip("0").rstrip(".")
