"""Names of accounts and contracts, and their pages."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final
from urllib.parse import quote

from chain.crypto.hashing import checksum_address
from chain.ledger.decoded.address_book import AddressBook, short_address
from chain.ledger.ledger import Ledger
from chain.pictures.markup import Markup, element

# A name that a browser leaves as it is in a path: `..` it does not.
_PLAIN: Final = re.compile(r"(?=.*[A-Za-z0-9])[A-Za-z0-9_.#-]+")


class Names:
    """The names on a chain at one point in time, each looked up once."""

    def __init__(self, ledger: Ledger) -> None:
        self._book = AddressBook(ledger)
        self._known: dict[bytes, str | None] = {}

    @cached_property
    def contracts(self) -> dict[bytes, str]:
        """The Python contracts by address, in order of creation."""
        return self._book.contracts

    @cached_property
    def contracts_by_name(self) -> dict[str, bytes]:
        """The addresses of the Python contracts by every name that they have or had."""
        return self._book.former

    def name(self, address: bytes) -> str | None:
        if address not in self._known:
            self._known[address] = self._book.name(address)
        return self._known[address]

    def display(self, address: bytes) -> str:
        return self.name(address) or short_address(address)

    def url(self, address: bytes) -> str:
        """Return the page of an account or contract."""
        name = self.name(address)
        word = name if name and _PLAIN.fullmatch(name) else checksum_address(address)
        return f"/{'contract' if address in self.contracts else 'account'}/{quote(word)}"

    def link(self, address: bytes) -> Markup:
        """Return the name of an address as a link to its page."""
        name = element("bdi", self.display(address))
        return element("a", name, href=self.url(address), title=checksum_address(address))
