"""Who is meant: accounts and contracts by the words that people use for them."""

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
from chain.simulator.handle import (
    Entry,
    Handle,
)
from chain.types import Address

sender_option: Callable[..., Any] = click.option(
    "--from", "--sender", "sender", default="alice", show_default=True, metavar="ACCOUNT",
    help="Who sends it: a name, a number in 'boardchain accounts', or an address.",
)  # fmt: skip


def account(chain: Chain, word: str) -> Address:
    """An account by number, name or address. A name with a dot is made where it is new, as `first.testnet`."""
    known = list(chain.keys.values())
    if word.isdigit():
        if int(word) < len(known):
            return known[int(word)]
        raise ValueError(f"there is no account {word}: they go from 0 to {len(known) - 1}")
    for each in known:
        if word == each.name:
            return each
    if word.startswith("0x"):
        return Address(word)
    if "." in word:
        return chain.account(word)
    names = ", ".join(each.name for each in ACCOUNTS)
    raise ValueError(
        f"there is no account '{word}'; there are {names}, and a new one has a dot in its name: {word}.testnet"
    )


def address(chain: Chain, word: str) -> Address:
    """An account or a contract."""
    if word.startswith("0x"):
        return account(chain, word)
    _ = chain.head  # as it is now, wherever it runs
    found = AddressBook(chain.ledger).find(word, chain.keys.values())
    return account(chain, word) if found is None else Address(found)


def sender(chain: Chain, word: str) -> Address:
    try:
        return account(chain, word)
    except ValueError as wrong:
        raise click.UsageError(f"--from: {wrong}") from None


def contract_address(chain: Chain, word: str) -> Address:
    """The contract at an address, or of a name that it has or had."""
    _ = chain.head  # as it is now, wherever it runs
    who = AddressBook(chain.ledger)
    if word in who.former:
        return Address(who.former[word])
    try:
        return Address(word)
    except ValueError:
        there = ", ".join(who.contracts.values()) or "none"
        text = f"there is no contract '{word}' on this chain; there are {there}"
        if not chain.receipts:
            text += ". It is empty: name the one that is meant with --chain"
        raise click.UsageError(text) from None


def contract(chain: Chain, word: str, offered: ContractCatalogue) -> Handle:
    """The contract at an address or of a name, with the class that it has now."""
    where = contract_address(chain, word)
    code = chain.code(where)
    program = chain.machine.programs.get(parse_code(code) or b"")
    if program is None:
        raise click.UsageError(_wrong_contract_message(code, where, offered))
    cls: type[Contract] = program.spec.cls
    return Handle(chain, cls, where)


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
    """The entries of a name, or of a signature, to be called (`call`) or looked at (`view`); most often one."""
    spec = handle.contract.__spec__
    found = spec.named(name)
    of_kind = [each.name for each in spec.entries.values() if each.is_view == (wanted == "view")]
    if not found:
        there = ", ".join(of_kind) or "none"
        raise click.UsageError(f"{spec.name} has no entry '{name}' to {wanted}; it has {there}")
    if wanted == "call" and all(each.is_view for each in found):
        raise click.UsageError(f"{name} is a view: 'boardchain view' asks for it")
    return [handle[each.signature] for each in found if wanted == "view" or not each.is_view]
