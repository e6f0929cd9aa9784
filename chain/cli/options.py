"""What several commands are told in the same way: which chain, whose contracts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import Any

import click

from chain.cli import lookup
from chain.cli.arguments import read_args
from chain.cli.progress import bar
from chain.ledger.sql.parse_values import ParseError
from chain.runtime.contract import Contract
from chain.simulator.catalogue import (
    ContractCatalogue,
    ContractNotFound,
)
from chain.simulator.chain import (
    MEMORY,
    Chain,
)
from chain.simulator.handle import Entry
from chain.simulator.past import ChainAtBlock
from chain.spec.contracts import EntrySpec
from chain.spec.overloads import signatures

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
            offered = ContractCatalogue(package)
        except ContractNotFound as wrong:
            raise click.UsageError(str(wrong)) from wrong
        return command(*args, offered=offered, **named)

    return _contracts(offering)


def contract_named(offered: ContractCatalogue, name: str) -> Any:
    """The contract class that was asked for by name."""
    try:
        return offered.find(name)
    except ContractNotFound as wrong:
        raise click.UsageError(str(wrong)) from None


def exists(where: str) -> bool:
    """Whether there is a chain to look for: a node says so itself."""
    return where == MEMORY or "://" in where or Path(where).exists()


@contextmanager
def open_chain(
    where: str, offered: ContractCatalogue | None = None, *, make: bool = False
) -> Iterator[Chain]:
    """The chain that `--chain` names, closed afterwards; a file is made only where `make` allows it."""
    if not where or ("://" in where and not where.lower().startswith(("http://", "https://"))):
        raise click.UsageError(f"--chain is memory, a file, or http://…, not {where!r}")
    if not (make or exists(where)):
        raise click.UsageError(f"there is no chain in {where}: give the name of a chain's file")
    with _connect(where, offered.classes if offered else ()) as chain:
        yield chain


def _connect(where: str, classes: Sequence[type[Contract]]) -> Chain:
    if "://" not in where:
        return Chain.reach(where, contracts=classes)
    with bar("reading the chain", None) as step:
        return Chain.connect(where, contracts=classes, watch=step)


def arguments(chain: Chain, entry: EntrySpec, words: Sequence[str]) -> dict[str, Any]:
    """The arguments of an entry, by name, out of the words of the command."""
    option = next((word for word in words if word.startswith("--")), None)
    if option is not None:
        raise click.UsageError(f"there is no option {option}")
    try:
        given = read_args(entry, words, lambda word: lookup.address(chain, word))
        entry.encode_args((), given)  # says what is missing or does not fit
    except (ParseError, TypeError) as wrong:
        raise click.UsageError(str(wrong)) from None
    return given


def called(
    chain: Chain, entries: Sequence[Entry], words: Sequence[str]
) -> tuple[Entry, dict[str, Any]]:
    """The entry that is meant, of several of a name that one whose arguments the words are, and its arguments."""
    if len(entries) == 1:
        return entries[0], arguments(chain, entries[0].spec, words)
    fitting = []
    for each in entries:
        with suppress(click.UsageError):
            fitting.append((each, arguments(chain, each.spec, words)))
    if len(fitting) != 1:
        fit = f"{len(fitting)} of them take" if fitting else "none of them takes"
        raise click.UsageError(
            f"there are {len(entries)} entries of that name, and {fit} these arguments:"
            f" say which, {signatures(each.spec for each in entries)}"
        )
    return fitting[0]


def past(chain: Chain, block: int) -> ChainAtBlock:
    """The chain as it was at the end of a block."""
    try:
        return chain.at(block)
    except ValueError as wrong:
        raise click.UsageError(f"--block: {wrong}") from None
