"""The contracts that a ledger knows: of declared classes, from artifacts, and in bytecode with a known ABI."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Protocol

from chain.foundation.thread_lock import ThreadLock
from chain.ledger.artifacts import Artifacts
from chain.machine.machine import Programs
from chain.machine.state import State
from chain.metering.program import Program
from chain.spec.contracts import ContractSpec
from chain.types import Address


class ForeignContracts:
    """The known contracts in bytecode by address. Like declared classes, they are not part of the chain's data."""

    def __init__(self) -> None:
        self._programs: dict[bytes, Program] = {}
        self.names: dict[bytes, str] = {}

    def __len__(self) -> int:
        return len(self._programs)

    def get(self, address: bytes) -> Program | None:
        return self._programs.get(address)

    @property
    def programs(self) -> list[Program]:
        return list(dict.fromkeys(self._programs.values()))

    def add(self, address: bytes, program: Program, taken: Container[str]) -> None:
        """Use this ABI for the contract at an address from now on, under a name that is not taken."""
        self._programs[address] = program
        name, number = program.spec.name, 1
        while name in taken:
            number += 1
            name = f"{program.spec.name}#{number}"
        self.names[address] = name

    def copy(self) -> ForeignContracts:
        """Return a copy for another ledger."""
        foreign = ForeignContracts()
        foreign._programs, foreign.names = dict(self._programs), dict(self.names)
        return foreign


class Contracts(Protocol):
    """The part of a ledger that knows contracts: their code, their descriptions and their names."""

    @property
    def lock(self) -> ThreadLock: ...
    @property
    def state(self) -> State: ...
    @property
    def programs(self) -> Programs: ...
    @property
    def artifacts(self) -> Artifacts: ...
    @property
    def foreign(self) -> ForeignContracts: ...
    @property
    def known_specs(self) -> Sequence[ContractSpec]: ...
    @property
    def contract_names(self) -> Mapping[bytes, Sequence[tuple[int, str]]]: ...
    def program(self, digest: bytes) -> Program | None: ...
    def program_at(self, address: bytes) -> Program | None: ...
    def address_of(self, account: object, name: str = "address") -> Address: ...
