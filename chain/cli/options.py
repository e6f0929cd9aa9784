"""What several commands are told in the same way: which chain, whose contracts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import click

from chain.offered import NotOffered, Offered
from chain.simulator import Chain

MEMORY = "memory"
Command = Callable[..., Any]

_chain = click.option(
    "--chain",
    "where",
    default=MEMORY,
    envvar="BOARDCHAIN_CHAIN",
    show_default=True,
    show_envvar=True,
    metavar="memory|FILE|URL",
    help="The chain: a fresh one in memory, one in a file, or a node.",
)
_contracts = click.option(
    "--contracts",
    "package",
    default="contracts",
    envvar="BOARDCHAIN_CONTRACTS",
    show_default=True,
    metavar="PACKAGE",
    help="The package whose contracts are offered.",
)


def chain_option(command: Command) -> Command:
    return _chain(command)


def contracts_option(command: Command) -> Command:
    """Gives the command an `Offered`."""

    @wraps(command)
    def offering(*args: Any, package: str, **named: Any) -> Any:
        try:
            offered = Offered(package)
        except NotOffered as wrong:
            raise click.UsageError(str(wrong)) from wrong
        return command(*args, offered=offered, **named)

    return _contracts(offering)


def contract_named(offered: Offered, name: str) -> Any:
    """The contract class that was asked for by name."""
    try:
        return offered.find(name)
    except NotOffered as wrong:
        raise click.UsageError(str(wrong)) from None


def is_url(where: str) -> bool:
    return where.startswith(("http://", "https://"))


@contextmanager
def opened(where: str, offered: Offered | None = None, *, make: bool = False) -> Iterator[Chain]:
    """The chain that `--chain` names, closed afterwards; a file is made only where `make` allows it."""
    classes = offered.classes if offered else []
    if where == MEMORY:
        chain = Chain()
        for each in classes:
            chain.declare(each)
        yield chain
        return
    if is_url(where):
        raise click.UsageError("a node cannot be reached from here yet: name a file, or memory")
    if not make and not Path(where).exists():
        raise click.UsageError(f"there is no chain in {where}: give the name of a chain's file")
    with Chain.open(where, contracts=classes) as chain:
        yield chain
