"""The names of accounts and contracts that are known at each step of a play, in both directions, and values that hold them.

`chain.ledger.decoded.address_book` names all addresses at the end of a play. Here a name is known only from the step that
introduced it, so that recording and replaying agree at every step. An address that has no name, or whose name was already
taken, is written in full.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from chain.crypto.accounts import ACCOUNTS
from chain.crypto.hashing import checksum_address
from chain.ledger.creations import creations_in, next_contract_name
from chain.ledger.receipts import Receipt
from chain.ledger.sql.json_values import HALF, JsonStyle
from chain.spec.contracts import EntrySpec
from chain.types import Address
from chain.values.records import members_from_json


class KnownNames(JsonStyle):
    """The names registered so far: values are shown as JSON, with the addresses in them by name."""

    def __init__(self) -> None:
        super().__init__(-HALF, HALF - 1)
        self._names = {bytes(account): account.name for account in ACCOUNTS}
        self._addresses = {name: address for address, name in self._names.items()}
        self._count: Counter[str] = Counter()

    def add(self, name: str, address: bytes) -> None:
        """Register a name for an address, unless either is registered already or the name looks like an address."""
        is_free = name not in self._addresses and address not in self._names
        if is_free and not name.startswith("0x"):
            self._names[address], self._addresses[name] = name, address

    def register_contracts(self, receipt: Receipt) -> None:
        """Name the contracts that a transaction created, numbered in the order of their creation."""
        if receipt.ok:
            for creation in creations_in(receipt):
                program = receipt.ledger.program(creation.digest)
                if program is not None and not creation.is_upgrade:
                    self.add(next_contract_name(program.spec.name, self._count), creation.address)

    def address(self, value: bytes) -> str:
        """Return the name of an address, or the address itself if it has no name."""
        return self._names.get(bytes(value)) or checksum_address(bytes(value))

    def find(self, name: str) -> Address:
        """Return the address of a name, which may also be an address. Raise ValueError if there is none."""
        found = self._addresses.get(name)
        if found is None and not name.startswith("0x"):
            raise ValueError(f"there is no account or contract {name}")
        return Address(name if found is None else found)

    def read_args(self, entry: EntrySpec | None, args: Mapping[str, object]) -> tuple[object, ...]:
        """Return the arguments of a call, read as the types of its parameters. Raise ValueError if they are others."""
        params = () if entry is None else entry.params
        if args and not params:
            raise ValueError(f"it takes no arguments, not {', '.join(args)}")
        return tuple(members_from_json(params, args, "args", self.find))
