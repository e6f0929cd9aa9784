"""Show a chain in the browser, one in a file or that of a node, or the results of many games.

$ boardchain explore duel.chain
$ boardchain explore http://127.0.0.1:8545
$ boardchain explore runs/blokus
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

from chain.arena.store import NoResults
from chain.cli import options
from chain.simulator.catalogue import ContractCatalogue
from chain.simulator.chain import MEMORY
from chain.simulator.node_client import HttpNodeClient, NodeClient

if TYPE_CHECKING:
    from chain.rpc.server.listener import Listener

option = partial(click.option, show_default=True)


@click.command()
@click.argument("where", metavar="FILE|URL|FOLDER")
@option("--port", type=click.IntRange(0, 65535), default=0, help="0 for any free port.")
@click.option("--write", is_flag=True, help="Let pages send transactions.")
@click.option("--open", "opens", is_flag=True, help="Open it in the browser.")
@options.contracts_option
@options.trust_option
def command(where: str, port: int, write: bool, opens: bool, offered: ContractCatalogue) -> None:
    """Show the chain in FILE, or of the node at URL, as pages on a port of this machine, until it is stopped.

    Another process may write the file meanwhile, unless pages may send. A FOLDER holds the results of `boardchain play`, also
    while they grow: who wins, and every game to step through.
    """
    alone = import_module("chain.explorer.standalone")
    settings = alone.Settings(port=port)
    if Path(where).is_dir():
        if write:
            raise click.UsageError("results are only read: leave out --write")
        try:
            results = import_module("chain.explorer.campaign.site").CampaignSite(Path(where))
        except NoResults as error:
            raise click.UsageError(str(error)) from None
        _serve(alone.PageServer(results, settings, lambda: None), opens)
        return
    with options.open_chain(where, offered, writes=write) as chain:
        file = None if write or "://" in where or where == MEMORY else Path(where)
        _serve(alone.AloneServer(chain, settings, _client(where), file=file, writes=write), opens)


def _serve(server: Listener, opens: bool) -> None:
    def ready() -> None:
        click.echo(f"Open {server.url}")
        if opens:
            click.launch(server.url)

    server.run(ready)


def _client(where: str) -> NodeClient | None:
    """Return a client of the node at a URL."""
    return HttpNodeClient(where) if "://" in where else None
