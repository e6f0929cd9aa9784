"""Upgrade of a deployed contract to another class, if the new class fits its storage."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from chain.crypto.hashing import checksum_address
from chain.errors import Reverted
from chain.ledger.artifacts import artifact_of
from chain.ledger.edits import acknowledge_edit
from chain.ledger.ledger import Ledger
from chain.ledger.receipts import Receipt
from chain.metering.program import Program, parse_code
from chain.runtime.contract import Contract
from chain.simulator.driver import ChainDriver
from chain.simulator.reader import ChainReader
from chain.spec.contracts import UPGRADE
from chain.values import short_repr
from chain.values.inputs import AccountLike, items


class CannotUpgrade(ValueError):
    """A contract cannot be upgraded to a class. The text gives the reason and names the fields that prevent it."""


class OlderNode(ValueError):
    """The node was started before the package was edited, or with another package."""


class Upgrading(ChainReader):
    """The part of `Chain` that upgrades contracts."""

    __slots__ = ()

    driver: ChainDriver

    def need_code(self, programs: Sequence[Program]) -> None:
        """Refuse contracts that cannot be deployed here, before anything is sent."""
        program_list = items(programs, "programs")
        for program in program_list:
            if not isinstance(program, Program):
                raise TypeError(
                    f"{short_repr(program)} is not a program: pass a result of chain.declare"
                )
        lacking = self.driver.lacking(program_list) if program_list else ()
        if lacking:
            names = ", ".join(dict.fromkeys(program.spec.name for program in lacking))
            raise OlderNode(
                f"the code of {names} in the node differs from the code here: nothing was sent. "
                "Reload its package with 'boardchain reload', start it as 'boardchain node "
                "--reload', or restart it"
            )

    def upgrade(
        self, contract: AccountLike, new: type[Contract], *, sender: AccountLike | None = None
    ) -> Receipt:
        """Give a contract the code of another class. It keeps its address, its storage and its balance.

        The new class must have all old fields in the same slots; new ones may follow. If the contract has that code already,
        nothing is sent and the receipt of the transaction that set the code is returned.

        >>> class FasterRace(Race):
        ...     bonus: u8
        >>> chain.upgrade(race, FasterRace, sender=alice).ok
        True
        """
        address, program = self.address_of(contract, "contract"), self.declare(new)
        code = self.code(address)
        previous = receipt_of_code(self.ledger, address) if code == program.code else None
        if previous is not None:
            return previous
        check_upgrade(self.ledger, address, code, program)
        self.need_code([program])
        receipt = self.send(address, UPGRADE.encode_args((program.digest,), {}), sender=sender)
        if receipt.error is not None:
            raise Reverted(receipt) from receipt.error.cause
        return receipt


def receipt_of_code(ledger: Ledger, address: bytes) -> Receipt | None:
    """Return the receipt of the transaction that set the current code of a contract; None if there is none."""
    digest = parse_code(ledger.state.code(address))
    for creation in reversed(ledger.creations.rows):
        if creation.address == address:
            return ledger.receipts[creation.position] if creation.digest == digest else None
    return None


def check_upgrade(ledger: Ledger, address: bytes, code: bytes, program: Program) -> None:
    """Refuse an upgrade of the contract at `address`, which has `code`, if its storage does not fit `program`."""
    acknowledge_edit(ledger, program)
    digest, location, name = parse_code(code), checksum_address(address), program.spec.name
    if digest is None:
        reason = "the account holds bytecode, not a Python contract" if code else "there is none"
        raise CannotUpgrade(f"the contract at {location} cannot be upgraded to {name}: {reason}")
    artifact, new = ledger.artifacts.get(digest), artifact_of(program)
    if artifact is None:
        raise CannotUpgrade(
            f"the contract at {location} cannot be upgraded to {name}: its present class is unknown; "
            "pass that to chain.declare first"
        )
    check = import_module("chain.simulator.upgrade_check")
    blockers: list[str] = check.upgrade_blockers(check.described(digest, artifact), program)
    if artifact.types[0] != new.types[0]:
        blockers.insert(0, f"{artifact.name} is a {artifact.types[0]}, and {name} a {new.types[0]}")
    if blockers:
        raise CannotUpgrade(
            f"{artifact.name} at {location} cannot be upgraded in place: {'; '.join(blockers)}"
        )
