"""Who is who while a play goes on: the names that are known by now, both ways.

`chain.ledger.decoded.address_book` names everyone at the end of a play. Here a name is known from the step on that gave it, so
that writing and playing a transcript agree at every step. An address without a name, or with one that somebody else had first,
is written out.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from chain.accounts import ACCOUNTS
from chain.crypto.hashing import checksum_address
from chain.ledger.decoded.address_book import (
    created_contracts,
    next_contract_name,
)
from chain.ledger.receipts import Receipt

NAME: Final = r"[^\W\d][\w.-]*(?:#\d+)?"
_NAME: Final = re.compile(NAME)


class NameRegistry:
    """The names given so far."""

    def __init__(self) -> None:
        self._names = {bytes(account): account.name for account in ACCOUNTS}
        self._addresses = {name: address for address, name in self._names.items()}
        self._count: Counter[str] = Counter()

    def add(self, name: str, address: bytes) -> None:
        if _NAME.fullmatch(name) and name not in self._addresses and address not in self._names:
            self._names[address], self._addresses[name] = name, address

    def register_contracts(self, receipt: Receipt) -> None:
        """Name the contracts that a transaction made, numbered in the order in which they come."""
        if receipt.ok:
            for address, program in created_contracts(receipt):
                self.add(next_contract_name(program.spec.name, self._count), address)

    def display(self, address: bytes) -> str:
        return self._names.get(bytes(address)) or checksum_address(bytes(address))

    def find(self, name: str) -> bytes | None:
        if name.startswith("0x"):
            return bytes.fromhex(name[2:]) if len(name) == 42 else None
        return self._addresses.get(name)
