"""Accounts and contracts, found by the words that people use for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from chain.cli import completion
from chain.crypto.accounts import ACCOUNTS
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.file.store import NotWritten
from chain.runtime import account_names
from chain.simulator.chain import Chain
from chain.simulator.handle import Entry, Handle
from chain.types import Address
from chain.values.inputs import wei

sender_option: Callable[..., Any] = click.option(
    "--from", "--sender", "sender", default="alice", show_default=True, metavar="ACCOUNT", shell_complete=completion.accounts,
    help="The sender: a name, a number in 'boardchain accounts', or an address.",
)  # fmt: skip


def _wei(_ctx: click.Context, _param: click.Parameter, word: str) -> int:
    if word.isdecimal():
        return wei(int(word))
    raise click.BadParameter(f"{word!r} is not a whole number of wei: one ether is {10**18}")


value_option: Callable[..., Any] = click.option(
    "--value", default="0", show_default=True, metavar="WEI", help="Wei to send along.", callback=_wei,
)  # fmt: skip


def account(chain: Chain, word: str) -> Address:
    """Return an account by number, name or address. A new name with a dot, such as `first.testnet`, creates the account."""
    known = list(chain.keys.values())
    if word.isdigit():
        if int(word) < len(known):
            return known[int(word)]
        raise ValueError(f"there is no account {word}: the numbers go from 0 to {len(known) - 1}")
    for candidate in known:
        if word == candidate.name:
            return candidate
    if word.startswith("0x"):
        return Address(word)
    if "." in word:
        try:
            return chain.account(word)
        except NotWritten:  # the chain is only read, and on it the account is like any other
            return account_names.account_named(word)
    names = ", ".join(candidate.name for candidate in ACCOUNTS)
    raise ValueError(
        f"there is no account '{word}'; there are {names}, and the name of a new one has a dot: {word}.testnet"
    )


def address(chain: Chain, word: str) -> Address:
    """Return the address of an account or a contract."""
    if word.startswith("0x"):
        return account(chain, word)
    _ = chain.head  # brings the ledger of a remote chain up to date
    known = AddressBook(chain.ledger).find(word, chain.keys.values())
    return account(chain, word) if known is None else Address(known)


def sender(chain: Chain, word: str) -> Address:
    try:
        return account(chain, word)
    except ValueError as error:
        raise click.UsageError(f"--from: {error}") from None


def contract_address(chain: Chain, word: str) -> Address:
    """Return the address of a contract, given its address or a name that it has or had."""
    if word.startswith("0x"):
        return account(chain, word)
    _ = chain.head  # brings the ledger of a remote chain up to date
    known = AddressBook(chain.ledger).former.get(word)
    return contract(chain, word).address if known is None else Address(known)


def contract(chain: Chain, word: str) -> Handle:
    """Return a handle to the contract with that address or name, with the class that it has now."""
    try:
        return chain.contract(word)
    except LookupError as error:
        is_empty = "" if chain.receipts else ". The chain is empty: choose another one with --chain"
        raise click.UsageError(f"{error}{is_empty}") from None


def entries(handle: Handle, name: str, wanted: str) -> list[Entry]:
    """Return the entries of that name or signature that `wanted` allows (`call` or `view`). There is usually one."""
    spec = handle.contract.__spec__
    candidates = spec.named(name)
    available = [
        entry.name for entry in spec.entries.values() if entry.is_view == (wanted == "view")
    ]
    if not candidates:
        names = ", ".join(available) or "none"
        raise click.UsageError(f"{spec.name} has no entry '{name}' to {wanted}; it has {names}")
    if wanted == "call" and all(entry.is_view for entry in candidates):
        raise click.UsageError(f"{name} is a view: use 'boardchain view'")
    return [
        handle[entry.signature] for entry in candidates if wanted == "view" or not entry.is_view
    ]
