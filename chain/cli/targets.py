"""Who is meant: accounts and contracts by the words that people use for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from chain.accounts import ACCOUNTS
from chain.code import split_code
from chain.contract import Contract
from chain.handle import Handle
from chain.hashing import checksum_address
from chain.ledger.who import Who
from chain.offered import Offered
from chain.simulator import Chain
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
    found = Who(chain.ledger).find(word, chain.keys.values())
    return account(chain, word) if found is None else Address(found)


def sender(chain: Chain, word: str) -> Address:
    try:
        return account(chain, word)
    except ValueError as wrong:
        raise click.UsageError(f"--from: {wrong}") from None


def contracts_on(chain: Chain) -> dict[str, Address]:
    """The Python contracts on a chain, by name."""
    _ = chain.head  # as it is now, wherever it runs
    return {name: Address(raw) for raw, name in Who(chain.ledger).contracts.items()}


def where(chain: Chain, word: str, offered: Offered) -> Address:
    """The address of a contract, of which the class need not be at hand."""
    known = contracts_on(chain)
    try:
        return known[word] if word in known else Address(word)
    except ValueError:
        raise click.UsageError(_who_is_there(chain, word, list(known), offered)) from None


def contract(chain: Chain, word: str, offered: Offered) -> Handle:
    """The contract at an address or of a name, with the class that it has now."""
    address = where(chain, word, offered)
    code = chain.code(address)
    program = chain.machine.programs.get(split_code(code) or b"")
    if program is None:
        raise click.UsageError(_why_not(code, address, offered))
    cls: type[Contract] = program.spec.cls
    return Handle(chain, cls, address)


def _who_is_there(chain: Chain, word: str, known: list[str], offered: Offered) -> str:
    """That nobody has this name, and who has one; a contract that was changed since it was deployed has none."""
    text = f"there is no contract '{word}' on this chain; there are {', '.join(known) or 'none'}"
    if not chain.receipts:
        return f"{text}. It is empty: name the one that is meant with --chain"
    changed = chain.receipts.where(lambda r: r.to is None and r.is_stranger, ok=True).last()
    if changed is None:
        return text
    return f"{text}. But {_why_not(chain.code(changed.address), changed.address, offered)}"


def _why_not(code: bytes, where: Address, offered: Offered) -> str:
    text = checksum_address(where)
    if not code:
        return f"there is no contract at {text}"
    if split_code(code) is None:
        return f"what is at {text} is bytecode, not a Python contract"
    return (
        f"the contract at {text} is of a class that {offered.package} does not have in this form:"
        " it was changed since, so give the package as it was with --contracts, or upgrade it"
    )


def entry(handle: Handle, name: str, wanted: str) -> Any:
    """An entry to be called (`call`) or looked at (`view`)."""
    spec = handle.contract.__spec__
    found = spec.entries.get(name)
    of_kind = [each.name for each in spec.entries.values() if each.is_view == (wanted == "view")]
    if found is None:
        there = ", ".join(of_kind) or "none"
        raise click.UsageError(f"{spec.name} has no entry '{name}' to {wanted}; it has {there}")
    if found.is_view and wanted == "call":
        raise click.UsageError(f"{name} is a view: 'boardchain view' asks for it")
    return getattr(handle, name)
