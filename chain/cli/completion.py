"""Words that complete a command line: contracts, entries, events and accounts, on request of the shell.

A completion must never fail, whatever is wrong with the chain or the package: it then offers no words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import wraps
from typing import TypeAlias

import click

from chain.crypto.accounts import ACCOUNTS
from chain.ledger.decoded.address_book import AddressBook
from chain.simulator.catalogue import ContractCatalogue
from chain.simulator.chain import MEMORY, Chain
from chain.spec.contracts import ContractSpec

Complete: TypeAlias = Callable[[click.Context, click.Parameter, str], list[str]]


def _completing(words: Callable[[click.Context], Iterable[str]]) -> Complete:
    """Return a function for click that returns the words that begin with the typed text."""

    @wraps(words)
    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        try:
            found = sorted(dict.fromkeys(words(ctx)))
        except Exception:
            return []
        return [word for word in found if word.startswith(incomplete)]

    return complete


@_completing
def classes(ctx: click.Context) -> Iterable[str]:
    """The contracts of the package."""
    return [cls.__name__ for cls in _offered(ctx).by_full_name.values()]


@_completing
def contracts(ctx: click.Context) -> Iterable[str]:
    """The contracts that are deployed on the chain."""
    with ExitStack() as stack:
        return AddressBook(_chain(ctx, stack).ledger).contracts.values()


@_completing
def entries(ctx: click.Context) -> Iterable[str]:
    """The entries of the contract that is named before, or of all on the chain."""
    with ExitStack() as stack:
        chain, name = _chain(ctx, stack), ctx.params.get("contract")
        specs = [chain.contract(name).contract.__spec__] if name else _specs(chain)
        kinds = {"view": ("view",), "call": ("call",)}.get(ctx.info_name or "", ("call", "view"))
        return [
            entry.name for spec in specs for entry in spec.entries.values() if entry.kind in kinds
        ]


@_completing
def events(ctx: click.Context) -> Iterable[str]:
    """The events that the contracts of the chain declare."""
    with ExitStack() as stack:
        return [event.name for spec in _specs(_chain(ctx, stack)) for event in spec.events.values()]


@_completing
def accounts(ctx: click.Context) -> Iterable[str]:
    """The accounts of the chain by name."""
    if ctx.params.get("where", MEMORY) == MEMORY:
        return [account.name for account in ACCOUNTS]
    with ExitStack() as stack:
        return [account.name for account in _chain(ctx, stack).keys.values()]


def _offered(ctx: click.Context) -> ContractCatalogue:
    return ContractCatalogue(ctx.params.get("package") or "contracts")


def _chain(ctx: click.Context, stack: ExitStack) -> Chain:
    """Return the chain that the command line names so far."""
    where = ctx.params.get("where") or MEMORY
    is_file = where != MEMORY and "://" not in where
    chain = stack.enter_context(Chain.watch(where) if is_file else Chain.reach(where))
    _offered(ctx).offer_to(chain)
    _ = chain.head
    return chain


def _specs(chain: Chain) -> list[ContractSpec]:
    programs = map(chain.ledger.program, chain.ledger.artifacts)
    return [program.spec for program in programs if program is not None]
