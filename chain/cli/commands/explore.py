"""Show a chain in the browser: one in a file, or that of a node.

$ boardchain explore duel.chain
$ boardchain explore http://127.0.0.1:8545
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from pathlib import Path

import click

from chain.cli import options
from chain.simulator.catalogue import ContractCatalogue
from chain.simulator.chain import MEMORY
from chain.simulator.node_client import HttpNodeClient, NodeClient

option = partial(click.option, show_default=True)


@click.command()
@click.argument("where", metavar="FILE|URL")
@option("--port", type=click.IntRange(0, 65535), default=0, help="0 for any free port.")
@click.option("--write", is_flag=True, help="Let pages send transactions.")
@click.option("--open", "opens", is_flag=True, help="Open it in the browser.")
@options.contracts_option
def command(where: str, port: int, write: bool, opens: bool, offered: ContractCatalogue) -> None:
    """Show the chain in FILE, or of the node at URL, as pages on a port of this machine, until it is stopped.

    Another process may write the file meanwhile, unless pages may send.
    """
    alone = import_module("chain.explorer.alone")
    with options.open_chain(where, writes=write) as chain:
        for contract in offered.classes:  # so that a game that is deployed later has pictures too
            chain.declare(contract)
        file = None if write or "://" in where or where == MEMORY else Path(where)
        server = alone.AloneServer(
            chain, alone.Settings(port=port), _client(where), file=file, writes=write
        )

        def ready() -> None:
            click.echo(f"Open {server.url}")
            if opens:
                click.launch(server.url)

        server.run(ready)


def _client(where: str) -> NodeClient | None:
    """Return a client of the node at a URL."""
    return HttpNodeClient(where) if "://" in where else None
