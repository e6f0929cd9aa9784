"""The address book: readable names for accounts and contracts.

A named account has its given name, one of the ten well-known accounts its label, and a Python contract the name of its class.
The second contract of a class is `Game#2`. It keeps this name when it is upgraded, unless its new class has another name.
Bytecode that is known by its ABI has the name under which it was loaded.
Anything else is shown as a shortened address.
"""

from __future__ import annotations

from collections.abc import Iterable

from chain.crypto.accounts import Account
from chain.crypto.hashing import checksum_address
from chain.ledger.known_contracts import Contracts
from chain.runtime import account_names


class AddressBook:
    """The names on a chain in its present state."""

    def __init__(self, ledger: Contracts) -> None:
        self._ledger = ledger
        # The position of the receipt after which contracts are named; None for their present names.
        self.receipt: int | None = None

    def account(self, address: bytes) -> str | None:
        return account_names.get_name(self._ledger.state, address)

    def name(self, address: bytes) -> str | None:
        return self.account(address) or self._contract(address)

    def find(self, name: str, keys: Iterable[Account] = ()) -> bytes | None:
        """Return the address with that name: an account among `keys`, otherwise any account or contract."""
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
        """The names of the contracts by address: Python contracts in order of creation, then those in bytecode."""
        return {
            **{address: names[-1][1] for address, names in self._ledger.contract_names.items()},
            **self._ledger.foreign.names,
        }

    @property
    def former(self) -> dict[str, bytes]:
        """The addresses of the contracts, by every name that they have or had."""
        present = {name: address for address, name in self._ledger.foreign.names.items()}
        had = self._ledger.contract_names
        return present | {name: address for address, names in had.items() for _, name in names}

    def _contract(self, address: bytes) -> str | None:
        names = self._ledger.contract_names.get(address)
        if names is None:
            return self._ledger.foreign.names.get(address)
        names_then = [
            name for receipt, name in names if self.receipt is None or receipt <= self.receipt
        ]
        return names_then[-1] if names_then else names[0][1]


def short_address(address: bytes) -> str:
    text = checksum_address(address)
    return f"{text[:6]}…{text[-4:]}"
