"""The accounts of a chain and their balances.

$ boardchain accounts
$ boardchain accounts --chain duel.chain --keys --json
"""

from __future__ import annotations

import click

from chain.cli import output
from chain.cli.options import chain_option, open_chain
from chain.simulator.driver import ETHER


@click.command()
@chain_option
@click.option("--keys", is_flag=True, help="Show the private keys too; they are for tests.")
@output.json_option
def command(where: str, keys: bool, json: bool) -> None:
    """List the accounts that the chain can sign for: number, name, address, and balance in ether."""
    with open_chain(where) as chain:
        others = [account for account in chain.keys.values() if account not in chain.accounts]
        rows = [
            (
                i,
                account.name,
                account,
                _ether(chain.balance(account)),
                chain.nonce(account),
                account.key,
            )
            for i, account in enumerate([*chain.accounts, *others])
        ]
    columns = ("index", "name", "address", "balance", "nonce", "key")
    shown = len(columns) if keys else -1
    output.table(columns[:shown], [row[:shown] for row in rows], json=json)


def _ether(wei: int) -> str:
    """Return an amount of wei in ether, without trailing zeros."""
    whole, rest = divmod(wei, ETHER)
    return f"{whole}.{rest:018d}".rstrip("0").rstrip(".")
