"""The names of accounts and contracts that are known at each step of a play, in both directions.

`chain.ledger.decoded.address_book` names all addresses at the end of a play. Here a name is known only from the step that
introduced it, so that recording and replaying agree at every step. An address that has no name, or whose name was already
taken, is written in full.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from chain.crypto.accounts import ACCOUNTS
from chain.crypto.hashing import checksum_address
from chain.ledger.creations import creations_in, next_contract_name
from chain.ledger.receipts import Receipt

NAME: Final = r"[^\W\d][\w.-]*(?:#\d+)?"
_NAME: Final = re.compile(NAME)


class NameRegistry:
    """The names registered so far."""

    def __init__(self) -> None:
        self._names = {bytes(account): account.name for account in ACCOUNTS}
        self._addresses = {name: address for address, name in self._names.items()}
        self._count: Counter[str] = Counter()

    def add(self, name: str, address: bytes) -> None:
        """Register a name for an address, unless either is registered already or the name cannot be written."""
        if _NAME.fullmatch(name) and name not in self._addresses and address not in self._names:
            self._names[address], self._addresses[name] = name, address

    def register_contracts(self, receipt: Receipt) -> None:
        """Name the contracts that a transaction created, numbered in the order of their creation."""
        if receipt.ok:
            for creation in creations_in(receipt):
                program = receipt.ledger.program(creation.digest)
                if program is not None and not creation.is_upgrade:
                    self.add(next_contract_name(program.spec.name, self._count), creation.address)

    def display(self, address: bytes) -> str:
        """Return the name of an address, or the address itself if it has no name."""
        return self._names.get(bytes(address)) or checksum_address(bytes(address))

    def find(self, name: str) -> bytes | None:
        """Return the address of a name. A name may also be an address, written in full."""
        if name.startswith("0x"):
            return bytes.fromhex(name[2:]) if len(name) == 42 else None
        return self._addresses.get(name)
