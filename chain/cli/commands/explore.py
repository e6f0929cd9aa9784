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
from chain.simulator.chain import Chain
from chain.simulator.node_client import HttpNodeClient, NodeClient

option = partial(click.option, show_default=True)


@click.command()
@click.argument("where", metavar="FILE|URL")
@option("--port", type=click.IntRange(0, 65535), default=0, help="0 for any that is free.")
@click.option("--write", is_flag=True, help="Let pages send transactions.")
@click.option("--open", "opens", is_flag=True, help="Open it in the browser.")
@options.contracts_option
def command(where: str, port: int, write: bool, opens: bool, offered: ContractCatalogue) -> None:
    """Show the chain in FILE, or of the node at URL, as pages on a port of this machine, until it is stopped.

    A file may be written by another process meanwhile, unless pages may send.
    """
    alone = import_module("chain.explorer.alone")
    is_watched = "://" not in where and not write
    with _watched(where) if is_watched else options.open_chain(where) as chain:
        for contract in offered.classes:
            chain.declare(contract)
        file = Path(where) if is_watched else None
        server = alone.AloneServer(
            chain, alone.Settings(port=port), _client(where), file=file, writes=write
        )

        def ready() -> None:
            click.echo(f"Look at {server.url}")
            if opens:
                click.launch(server.url)

        server.run(ready)


def _watched(where: str) -> Chain:
    if not Path(where).exists():
        raise click.UsageError(f"there is no chain in {where}: give the name of a chain's file")
    return Chain.watch(where)


def _client(where: str) -> NodeClient | None:
    """Return a client of the node at a URL."""
    return HttpNodeClient(where) if "://" in where else None
