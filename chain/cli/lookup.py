"""Accounts and contracts, found by the words that people use for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from chain.accounts import ACCOUNTS
from chain.crypto.hashing import checksum_address
from chain.ledger.decoded.address_book import AddressBook
from chain.metering.program import parse_code
from chain.runtime.contract import Contract
from chain.simulator.catalogue import ContractCatalogue
from chain.simulator.chain import Chain
from chain.simulator.handle import Entry, Handle
from chain.types import Address

sender_option: Callable[..., Any] = click.option(
    "--from", "--sender", "sender", default="alice", show_default=True, metavar="ACCOUNT",
    help="Who sends it: a name, a number in 'boardchain accounts', or an address.",
)  # fmt: skip


def account(chain: Chain, word: str) -> Address:
    """Return an account by number, name or address. A new name with a dot, such as `first.testnet`, creates the account."""
    known = list(chain.keys.values())
    if word.isdigit():
        if int(word) < len(known):
            return known[int(word)]
        raise ValueError(f"there is no account {word}: they go from 0 to {len(known) - 1}")
    for candidate in known:
        if word == candidate.name:
            return candidate
    if word.startswith("0x"):
        return Address(word)
    if "." in word:
        return chain.account(word)
    names = ", ".join(candidate.name for candidate in ACCOUNTS)
    raise ValueError(
        f"there is no account '{word}'; there are {names}, and a new one has a dot in its name: {word}.testnet"
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
    _ = chain.head  # brings the ledger of a remote chain up to date
    book = AddressBook(chain.ledger)
    if word in book.former:
        return Address(book.former[word])
    try:
        return Address(word)
    except ValueError:
        names = ", ".join(book.contracts.values()) or "none"
        text = f"there is no contract '{word}' on this chain; there are {names}"
        if not chain.receipts:
            text += ". It is empty: name the one that is meant with --chain"
        raise click.UsageError(text) from None


def contract(chain: Chain, word: str, offered: ContractCatalogue) -> Handle:
    """Return a handle to the contract with that address or name, with the class that it has now."""
    location = contract_address(chain, word)
    code = chain.code(location)
    program = chain.machine.programs.get(parse_code(code) or b"")
    if program is None:
        raise click.UsageError(_wrong_contract_message(code, location, offered))
    cls: type[Contract] = program.spec.cls
    return Handle(chain, cls, location)


def _wrong_contract_message(code: bytes, where: Address, offered: ContractCatalogue) -> str:
    text = checksum_address(where)
    if not code:
        return f"there is no contract at {text}"
    if parse_code(code) is None:
        return f"what is at {text} is bytecode, not a Python contract"
    return (
        f"the contract at {text} is of a class that {offered.package} does not have in this form:"
        " it was changed since, so give the package as it was with --contracts, or upgrade it (deploy PLAN --upgrade)"
    )


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
        raise click.UsageError(f"{name} is a view: 'boardchain view' asks for it")
    return [
        handle[entry.signature] for entry in candidates if wanted == "view" or not entry.is_view
    ]
