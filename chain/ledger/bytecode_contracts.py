"""The contracts in bytecode with a known ABI, and their names in texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chain.ledger.decoded.address_book import AddressBook
from chain.metering.program import Program
from chain.spec.contracts import ContractSpec

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger


class ForeignContracts:
    """The known contracts in bytecode by address. Like declared classes, they are not part of the chain's data."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._programs: dict[bytes, Program] = {}
        self.names: dict[bytes, str] = {}

    def __len__(self) -> int:
        return len(self._programs)

    def get(self, address: bytes) -> Program | None:
        return self._programs.get(address)

    @property
    def specs(self) -> list[ContractSpec]:
        return [program.spec for program in dict.fromkeys(self._programs.values())]

    def know(self, address: bytes, program: Program) -> None:
        """Use this ABI for the contract at an address from now on."""
        if self._programs.get(address) is program:
            return
        if program not in self._programs.values():
            self._ledger.event_types.register_abi(program.spec.abi)
        self._programs[address] = program
        taken, name, number = {*AddressBook(self._ledger).former}, program.spec.name, 1
        while name in taken:
            number += 1
            name = f"{program.spec.name}#{number}"
        self.names[address] = name
        self._ledger.receipts._forget_indexes()

    def copy(self, ledger: Ledger) -> ForeignContracts:
        """Return a copy for another ledger."""
        foreign = ForeignContracts(ledger)
        foreign._programs, foreign.names = dict(self._programs), dict(self.names)
        return foreign
