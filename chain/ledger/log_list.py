"""All logs of a chain, in order: where each is, and which ones a contract wrote."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from chain import runtime
from chain.crypto.hashing import checksum_address
from chain.ledger.queries import Condition, ConditionFinder, contract_key
from chain.machine.state import LogRow
from chain.runtime import is_system
from chain.storage.read_only import ReadOnlyStorage

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger

_ANY_OF: str = "(select value from json_each(?))"


class LogPlace(NamedTuple):
    """The place of a log."""

    receipt: int  # the position of its receipt
    place: int  # its index there


class LogList:
    """All logs of one ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger, self.lock = ledger, ledger.lock

    def __len__(self) -> int:
        question = 'select position from "derived:logs" order by position desc limit 1'
        return next((position + 1 for (position,) in self.ledger.store.ask("logs", question)), 0)

    def row(self, place: LogPlace) -> LogRow:
        """Return a log as it is stored."""
        row: LogRow = self.ledger.receipts[place.receipt].log_rows[place.place]
        return row

    def contract_finder(self, contract: object) -> ConditionFinder:
        return partial(self._by, *contract_key(self.ledger, contract))

    def _by(self, name: str, value: Any) -> Condition:
        """Return the condition on the logs of a contract, and on those its code emitted for another one, as a system does."""
        ledger = self.ledger
        if name == "address":
            lent = self._in_the_name_of_a_world(value)
            if lent is None:
                return Condition("address = ?", (checksum_address(value),), "address")
            return Condition(
                "address = ? or (address = ? and digest = ?)", (checksum_address(value), *lent)
            )
        programs = {
            digest: ledger.program(digest) for digest in {**ledger.artifacts, **ledger.programs}
        }
        digests = [
            digest
            for digest, program in programs.items()
            if value == (digest if name == "program" else program and program.spec.name)
        ]
        found = {creation.address: None for creation in ledger.creations.rows}
        accounts = [
            checksum_address(address)
            for address in found
            if (program := ledger.program_at(address)) is not None and program.digest in digests
        ]
        return Condition(
            f"address in {_ANY_OF} or hex(digest) in {_ANY_OF}",
            (json.dumps(accounts), json.dumps([digest.hex().upper() for digest in digests])),
        )

    def _in_the_name_of_a_world(self, address: bytes) -> tuple[str, bytes] | None:
        """Return the world's address and the code digest of the logs that a system emits for it; None for other contracts."""
        program, state = self.ledger.program_at(address), self.ledger.state
        if program is None or not is_system(program.spec.cls):
            return None
        words = ReadOnlyStorage(state.slots, state.storages[address])
        world = runtime.HOME_FIELDS.accessors(0)[0](words, runtime.SYSTEM_SLOT)
        return checksum_address(bytes(world)), program.digest
