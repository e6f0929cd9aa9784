"""How a contract that stands on a chain is upgraded to another class, if its storage can stay."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from chain.crypto.hashing import checksum_address
from chain.errors import Reverted
from chain.ledger.artifacts import artifact_of
from chain.ledger.decoded.address_book import placed
from chain.ledger.ledger import Ledger
from chain.ledger.receipts import Receipt
from chain.metering.program import (
    Program,
    parse_code,
)
from chain.runtime.contract import Contract
from chain.schema.inputs import (
    AccountLike,
    items,
)
from chain.schema.validation import short_repr
from chain.simulator.upgrade_check import (
    described,
    upgrade_blockers,
)
from chain.spec.contracts import UPGRADE
from chain.types import Address

if TYPE_CHECKING:
    from collections.abc import Sequence


class CannotUpgrade(ValueError):
    """A contract cannot get that code; the text says why, and names the fields that are in the way."""


class OlderNode(ValueError):
    """A node was started before the package was edited, or with another one."""


class Upgrading(ABC):
    """Something on which contracts can be upgraded."""

    __slots__ = ()

    ledger: Ledger

    @abstractmethod
    def declare(self, contract: type[Contract]) -> Program:
        """Make a contract class known, so that it can be deployed."""

    @abstractmethod
    def address_of(self, account: AccountLike, name: str = "address") -> Address:
        """The address of what stands for an account."""

    @abstractmethod
    def code(self, address: AccountLike) -> bytes:
        """The code of an account."""

    @abstractmethod
    def send(
        self, to: AccountLike | None, data: bytes = b"", *, sender: AccountLike | None = None, value: int = 0,
        gas: int | None = None,
    ) -> Receipt:  # fmt: skip
        """Send a transaction."""

    def _lacking(self, programs: Sequence[Program]) -> Sequence[Program]:
        """Those of these contracts that cannot be deployed here. A chain declares them itself."""
        return ()

    def need_code(self, programs: Sequence[Program]) -> None:
        """Refuse contracts that cannot be deployed here, before anything is sent."""
        asked = items(programs, "programs")
        for each in asked:
            if not isinstance(each, Program):
                raise TypeError(
                    f"{short_repr(each)} is not a program: give what chain.declare returned"
                )
        lacking = self._lacking(asked) if asked else ()
        if lacking:
            names = ", ".join(dict.fromkeys(program.spec.name for program in lacking))
            raise OlderNode(
                f"the node has other code of {names} than is here: nothing was sent. Have it take up its package with"
                " 'boardchain reload', start it as 'boardchain node --reload', or start it again"
            )

    def upgrade(
        self, contract: AccountLike, new: type[Contract], *, sender: AccountLike | None = None
    ) -> Receipt:
        """Give a contract the code of another class. It keeps its address, its storage and its balance.

        Its fields must be there still, each in its place; new ones may follow. Where the contract has that code already nothing
        is sent, and the receipt is that of the transaction which brought it.
        """
        address, program = self.address_of(contract, "contract"), self.declare(new)
        code = self.code(address)
        before = receipt_of_code(self.ledger, address) if code == program.code else None
        if before is not None:
            return before
        check_upgrade(self.ledger, address, code, program)
        self.need_code([program])
        receipt = self.send(address, UPGRADE.encode_args((program.digest,), {}), sender=sender)
        if receipt.error is not None:
            raise Reverted(receipt) from receipt.error.cause
        return receipt


def receipt_of_code(ledger: Ledger, address: bytes) -> Receipt | None:
    """The transaction that brought the code which a contract has."""
    digest = parse_code(ledger.state.code(address))
    for receipt in reversed(ledger.receipts):
        last = [found for where, found in placed(receipt) if where == address]
        if last:
            return receipt if last[-1] == digest else None
    return None


def check_upgrade(ledger: Ledger, address: bytes, code: bytes, program: Program) -> None:
    """Refuse an upgrade that would not find its fields in storage."""
    digest, where, name = parse_code(code), checksum_address(address), program.spec.name
    if digest is None:
        what = "what is there is bytecode, not a Python contract" if code else "there is none"
        raise CannotUpgrade(f"the contract at {where} cannot be upgraded to {name}: {what}")
    artifact, new = ledger.artifacts.get(digest), artifact_of(program)
    if artifact is None:
        raise CannotUpgrade(
            f"the contract at {where} cannot be upgraded to {name}: nothing is known of the class that it has now;"
            " give that to chain.declare first"
        )
    hindered = upgrade_blockers(described(digest, artifact), program)
    if artifact.types[0] != new.types[0]:
        hindered.insert(0, f"{artifact.name} is a {artifact.types[0]}, and {name} a {new.types[0]}")
    if hindered:
        raise CannotUpgrade(
            f"{artifact.name} at {where} cannot be upgraded in place: {'; '.join(hindered)}"
        )
