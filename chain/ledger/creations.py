"""The contracts that transactions created and upgraded, recorded once for each receipt, and their names."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from chain.foundation.atomic_steps import locked
from chain.foundation.dataclass import dataclass
from chain.foundation.sealed import sealed
from chain.ledger.calls import walk
from chain.ledger.receipts import Receipt
from chain.metering.program import Program
from chain.spec.contracts import UPGRADE
from chain.types import Address

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger


class Creation(NamedTuple):
    """A Python contract that a transaction created or upgraded."""

    position: int  # of the receipt
    address: bytes
    digest: bytes  # of its class from then on
    is_upgrade: bool


@sealed
@dataclass(frozen=True, slots=True)
class DeployedContract:
    """A Python contract that is on the chain now.

    >>> [deployed.name for deployed in chain.contracts]
    ['Race', 'World', 'League']
    """

    name: str  # its name in texts, such as `Game#2`
    address: Address  # its address
    program: Program  # its code and description
    receipt: Receipt  # the receipt of the transaction that created it

    def __repr__(self) -> str:
        return f"<{self.name} at {self.address}, since block {self.receipt.block_number}>"


class Creations:
    """All contracts that transactions created and upgraded, in their order."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger, self.lock = ledger, ledger.lock
        self._rows: list[Creation] = []
        self._read = 0  # receipts
        self._is_upgraded, self._checked = False, 0  # some contract among the first rows
        self._forget_names()

    def _forget_names(self) -> None:
        self._names: dict[bytes, list[tuple[int, str]]] = {}
        self._by_class: dict[tuple[bytes, str], str] = {}
        self._count: Counter[str] = Counter()
        self._named, self._version = 0, (0, 0)

    def restore(self, rows: Iterable[Sequence[object]], receipts: int) -> None:
        """Begin with those of stored receipts."""
        self._rows, self._read = [Creation._make(row) for row in rows], receipts

    def copy(self, ledger: Ledger, receipts: int) -> Creations:
        """Return a copy for another ledger, which begins with the first `receipts` receipts of this one."""
        creations = Creations(ledger)
        end = min(receipts, self._read)
        creations._rows, creations._read = self._rows[: self.before(end)], end
        return creations

    def truncate(self, receipts: int) -> None:
        """Keep only those of the first `receipts` receipts."""
        if receipts < self._read:
            self._read = receipts
            self._checked = min(self._checked, self.before(receipts))
            self._forget_names()

    @property
    @locked
    def rows(self) -> Sequence[Creation]:
        """All creations and upgrades."""
        receipts, rows = self._ledger.receipts, self._rows
        if self._read < len(receipts) or (rows and rows[-1].position >= self._read):
            del rows[self.before(self._read) :]  # of a truncation or an interrupt
            end = len(receipts)
            new = filter(_may_create, receipts[self._read : end])
            rows += [creation for receipt in new for creation in creations_in(receipt)]
            self._read = end
        return rows

    def before(self, receipts: int) -> int:
        """Return the number of those that belong to the first `receipts` receipts."""
        return bisect_left(self._rows, receipts, key=attrgetter("position"))

    def has_upgrades(self) -> bool:
        """True if some contract was upgraded. What was undone may count."""
        rows = self.rows
        if not self._is_upgraded and self._checked < len(rows):
            self._is_upgraded = any(creation.is_upgrade for creation in rows[self._checked :])
            self._checked = len(rows)
        return self._is_upgraded

    @property
    @locked
    def names(self) -> dict[bytes, list[tuple[int, str]]]:
        """For each contract its names, each with the position of the receipt from which it applies."""
        rows, ledger = self.rows, self._ledger
        version = len(ledger.programs), len(ledger.artifacts)
        if version != self._version or self._named > len(rows):
            self._forget_names()
        self._version = (-1, -1)  # an interrupted count starts again
        for creation in rows[self._named :]:
            program = ledger.program(creation.digest)
            if program is not None:
                key = creation.address, program.spec.name
                if key not in self._by_class:
                    self._by_class[key] = next_contract_name(program.spec.name, self._count)
                names = self._names.setdefault(creation.address, [])
                names.append((creation.position, self._by_class[key]))
        self._named, self._version = len(rows), version
        return self._names

    @locked
    def deployed(self) -> list[DeployedContract]:
        """Return the present contracts, in the order of their creation."""
        ledger, found = self._ledger, list[DeployedContract]()
        for creation in self.rows:
            program = None if creation.is_upgrade else ledger.program_at(creation.address)
            if program is not None:
                name = self.names[creation.address][-1][1]
                receipt = ledger.receipts[creation.position]
                found.append(DeployedContract(name, Address(creation.address), program, receipt))
        return found


def _may_create(receipt: Receipt) -> bool:
    """True if the transaction may have created or upgraded a contract, according to a quick check."""
    if not receipt.ok:
        return False
    return receipt._creates or bool(receipt.call_rows) or receipt.data[:4] == UPGRADE.selector


def creations_in(receipt: Receipt) -> Iterator[Creation]:
    """Yield the Python contracts that a transaction created or upgraded, itself or in a nested call."""
    if not receipt.ok:
        return
    position = receipt.position
    if receipt.to is None and receipt.program is not None:
        yield Creation(position, bytes(receipt.address), receipt.program.digest, False)
    elif receipt.entry_spec is UPGRADE:
        yield Creation(position, bytes(receipt.address), receipt.data[4:36], True)
    for call in walk(receipt.calls, failed=False):
        if call.program is not None and call.kind == "create":
            yield Creation(position, call.address, call.program.digest, False)
        elif call.program is not None and call.data[:4] == UPGRADE.selector:
            yield Creation(position, call.address, call.data[4:36], True)


def next_contract_name(name: str, count: Counter[str]) -> str:
    """Return the name of the next contract of a class; `count` holds how many were named per class."""
    count[name] += 1
    return name if count[name] == 1 else f"{name}#{count[name]}"
