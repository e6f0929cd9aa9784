"""Options that several commands share: the chain, and the package of the contracts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import Any, Final

import click

from chain.cli import lookup, output
from chain.cli.arguments import read_args
from chain.ledger.edits import EditNotDeployed
from chain.simulator.catalogue import ContractCatalogue, ContractNotFound
from chain.simulator.chain import MEMORY, Chain
from chain.simulator.handle import Entry
from chain.simulator.past import ChainAtBlock
from chain.spec.contracts import EntrySpec
from chain.spec.overloads import signatures
from chain.values.mismatch import ParseError

Command = Callable[..., object]
_TRUST: Final = "chain.cli.trust"  # in the `meta` of a context

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
_trust = click.option(
    "--trust",
    is_flag=True,
    expose_value=False,
    callback=lambda ctx, _, value: ctx.meta.update({_TRUST: value}),
    help="Run contracts as the file keeps them, even if another user deployed them.",
)
_contracts = click.option(
    "--contracts",
    "package",
    default="contracts",
    envvar="BOARDCHAIN_CONTRACTS",
    show_default=True,
    metavar="PACKAGE",
    help="The package of the contracts.",
)


def trust_option(command: Command) -> Command:
    """Add `--trust`, which `is_trusted` looks up."""
    return _trust(command)


def is_trusted() -> bool:
    """Return True if the command was given `--trust`."""
    return bool(click.get_current_context().meta.get(_TRUST))


def chain_option(command: Command) -> Command:
    """Add `--chain`, which the command receives as `where`, and `--trust`, which `open_chain` looks up."""
    return _chain(_trust(command))


def contracts_option(command: Command) -> Command:
    """Add `--contracts`, which the command receives as a `ContractCatalogue` named `offered`."""

    @wraps(command)
    def offering(*args: object, package: str, **named: object) -> Any:
        try:
            return command(*args, offered=ContractCatalogue(package), **named)
        except ContractNotFound as error:
            raise click.UsageError(str(error)) from error

    return _contracts(offering)


def deployments_option(text: str) -> Callable[[Command], Command]:
    """Return the option `--deployments` with this help, which the command receives as `base`."""
    return click.option(
        "--deployments",
        "base",
        type=click.Path(file_okay=False, path_type=Path),
        envvar="BOARDCHAIN_DEPLOYMENTS",
        show_envvar=True,
        help=text,
    )


def contract_named(offered: ContractCatalogue, name: str) -> Any:
    """Return the contract class of that name."""
    return offered.find(name)


def exists(where: str) -> bool:
    """Return True if there may be a chain at `where`. For a node this shows when it is contacted."""
    return where == MEMORY or "://" in where or Path(where).exists()


@contextmanager
def open_chain(
    where: str,
    offered: ContractCatalogue | None = None,
    *,
    writes: bool = False,
    make: bool = False,
) -> Iterator[Chain]:
    """Open the chain that `--chain` names and close it afterwards.

    A file is only watched, unless the command `writes` to it, or may `make` it.
    """
    if not where or ("://" in where and not where.lower().startswith(("http://", "https://"))):
        raise click.UsageError(f"--chain is memory, a file, or http://…, not {where!r}")
    if not (make or exists(where)):
        raise click.UsageError(f"there is no chain in {where}: give the name of a chain's file")
    with telling_of_edits(), _connect(where, writes or make) as chain:
        if offered is not None:
            offered.offer_to(chain)
        yield chain


@contextmanager
def telling_of_edits() -> Iterator[None]:
    """Scope in which a warning that an edit is not deployed is a remark."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", EditNotDeployed)
        show: Any = warnings.showwarning

        def tell(message: Warning | str, category: type[Warning], *more: Any, **named: Any) -> None:
            if category is EditNotDeployed:
                output.remark(str(message))
            else:
                show(message, category, *more, **named)

        vars(warnings)["showwarning"] = tell
        yield


def _connect(where: str, writes: bool) -> Chain:
    """Return the chain in memory, in a file or of a node."""
    if where == MEMORY or "://" in where:
        return Chain.reach(where)
    return (Chain.open if writes else Chain.watch)(where, trust=is_trusted())


def arguments(chain: Chain, entry: EntrySpec, words: Sequence[str]) -> dict[str, object]:
    """Return the arguments of an entry by name, read from the words of the command."""
    option = next((word for word in words if word.startswith("--")), None)
    if option is not None:
        raise click.UsageError(f"there is no option {option}")
    try:
        values = read_args(entry, words, lambda word: lookup.address(chain, word))
        entry.encode_args((), values)  # the error names the argument that is missing or wrong
    except (ParseError, TypeError) as error:
        raise click.UsageError(str(error)) from None
    return values


def called(
    chain: Chain, entries: Sequence[Entry], words: Sequence[str]
) -> tuple[Entry, dict[str, object]]:
    """Return the entry to call and its arguments. Of several entries with one name, choose the one that the words fit."""
    if len(entries) == 1:
        return entries[0], arguments(chain, entries[0].spec, words)
    fitting = []
    for entry in entries:
        with suppress(click.UsageError):
            fitting.append((entry, arguments(chain, entry.spec, words)))
    if len(fitting) != 1:
        fit = f"{len(fitting)} of them take" if fitting else "none of them takes"
        raise click.UsageError(
            f"there are {len(entries)} entries of that name, and {fit} these arguments:"
            f" choose one, {signatures(entry.spec for entry in entries)}"
        )
    return fitting[0]


def past(chain: Chain, block: int) -> ChainAtBlock:
    """Return the chain as it was at the end of a block."""
    try:
        return chain.at(block)
    except ValueError as error:
        raise click.UsageError(f"--block: {error}") from None
