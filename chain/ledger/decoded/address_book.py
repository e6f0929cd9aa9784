"""The address book: readable names for accounts and contracts.

A named account has its given name, one of the ten well-known accounts its label, and a Python contract the name of its class.
The second contract of a class is `Game#2`. It keeps this name when it is upgraded, unless its new class has another name.
Anything else is shown as a shortened address.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Final

from chain.accounts import ACCOUNTS, Account
from chain.crypto.hashing import checksum_address
from chain.ledger.calls import walk
from chain.ledger.receipts import Receipt
from chain.metering.program import Program
from chain.runtime import account_names
from chain.spec.contracts import UPGRADE

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger

_LABELS: Final = {bytes(account): account.name for account in ACCOUNTS}


class AddressBook:
    """The names on a chain in its present state."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        # The position of the receipt after which contracts are named; None for their present names.
        self.receipt: int | None = None

    def account(self, address: bytes) -> str | None:
        return account_names.get_name(self._ledger.state, address) or _LABELS.get(address)

    def name(self, address: bytes) -> str | None:
        return self.account(address) or self._contract(address)

    def find(self, name: str, keys: Iterable[Account] = ()) -> bytes | None:
        """Return the address with that name: an account among `keys`, or else any account or contract."""
        own = next((account for account in keys if account.name == name), None)
        accounts = self._ledger.state.accounts
        if own is not None:
            return own
        present = next((address for address in accounts if self.name(address) == name), None)
        return present or self.former.get(name)

    def display(self, address: bytes) -> str:
        return self.name(address) or short_address(address)

    @property
    def contracts(self) -> dict[bytes, str]:
        """The names of the Python contracts by address, numbered in order of creation."""
        return {address: names[-1][1] for address, names in self._had.items()}

    @property
    def former(self) -> dict[str, bytes]:
        """The addresses of the Python contracts, by every name that they have or had."""
        return {name: address for address, names in self._had.items() for _, name in names}

    def _contract(self, address: bytes) -> str | None:
        names = self._had.get(address)
        if names is None:
            return None
        names_then = [
            name for receipt, name in names if self.receipt is None or receipt <= self.receipt
        ]
        return names_then[-1] if names_then else names[0][1]

    @cached_property
    def _had(self) -> dict[bytes, list[tuple[int, str]]]:
        """For each contract its names, each with the position of the receipt from which it applies."""
        names: dict[bytes, list[tuple[int, str]]] = {}
        name_by_class: dict[tuple[bytes, str], str] = {}  # by address and name of the class
        count: Counter[str] = Counter()
        for receipt in self._ledger.receipts.where(_may_place, ok=True):
            for address, digest in register_names(receipt):
                program = self._ledger.program(digest)
                if program is not None:
                    key = address, program.spec.name
                    if key not in name_by_class:
                        name_by_class[key] = next_contract_name(program.spec.name, count)
                    names.setdefault(address, []).append((receipt.position, name_by_class[key]))
        return names


def _may_place(receipt: Receipt) -> bool:
    return receipt.to is None or bool(receipt.call_rows) or receipt.data[:4] == UPGRADE.selector


def next_contract_name(name: str, count: Counter[str]) -> str:
    """Return the name of the next contract of a class; `count` holds how many were named per class."""
    count[name] += 1
    return name if count[name] == 1 else f"{name}#{count[name]}"


def register_names(receipt: Receipt) -> Iterator[tuple[bytes, bytes]]:
    """Yield the Python contracts that a transaction created or upgraded, each with the digest of its new class."""
    if receipt.ok:
        if receipt.to is None and receipt.program is not None:
            yield bytes(receipt.address), receipt.program.digest
        elif receipt.entry_spec is UPGRADE:
            yield bytes(receipt.address), receipt.data[4:36]
        for call in walk(receipt.calls, failed=False):
            if call.program is not None and call.kind == "create":
                yield call.address, call.program.digest
            elif call.program is not None and call.data[:4] == UPGRADE.selector:
                yield call.address, call.data[4:36]


def created_contracts(receipt: Receipt) -> Iterator[tuple[bytes, Program]]:
    """Yield the Python contracts that a transaction created, itself or in a nested call."""
    if receipt.to is None and receipt.program is not None:
        yield bytes(receipt.address), receipt.program
    for call in walk(receipt.calls, failed=False):
        if call.kind == "create" and call.program is not None:
            yield call.address, call.program


def short_address(address: bytes) -> str:
    text = checksum_address(address)
    return f"{text[:6]}…{text[-4:]}"
