"""Applying a plan to a chain: for each step, what there is to do, and doing it.

A step is done if the journal says so and its transaction stands on the chain. So a journal that speaks of a chain that was
made anew is no obstacle, and a transaction whose record was never finished is found by its sender and nonce.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from chain.deployment.journal import DONE, SENDING, Journal, Record
from chain.deployment.plan import Deployment, Step
from chain.errors import Reverted
from chain.ledger.receipts import Receipt
from chain.ledger.sql import json_values as form
from chain.metering.program import parse_code
from chain.simulator.chain import Chain
from chain.simulator.upgrade import CannotUpgrade
from chain.simulator.upgrade_check import (
    changes,
    described,
    description_of,
    is_changed,
    upgrade_blockers,
)
from chain.types import Address

CREATE: Final = "create"
CALL: Final = "call"
RESUME: Final = "resume"  # its transaction, or its upgrade, was made; its record was not finished
LEAVE: Final = "leave"
CHANGED: Final = "changed"
UPGRADE: Final = "upgrade"
BESIDE: Final = "beside"
NOTHING: Final = (LEAVE,)

Decide = Callable[["StepStatus"], str]  # UPGRADE or BESIDE


class StepFailed(ValueError):
    """A step was refused by its contract; the text says which and why."""


@dataclass(frozen=True)
class StepStatus:
    """A step, and what there is to do about it."""

    step: Step
    action: str
    record: Record | None = None
    receipt: Receipt | None = None  # of the transaction that was found
    changes: Sequence[str] = ()
    obstacles: Sequence[str] = ()  # why it cannot be upgraded

    @property
    def stands(self) -> bool:
        """Whether its contract is on the chain, whatever its code."""
        return self.action in (CHANGED, RESUME) and self.receipt is None

    def check_upgrade(self) -> None:
        if self.obstacles:
            raise CannotUpgrade(
                f"{self.step.name} cannot be upgraded in place: {'; '.join(self.obstacles)}"
            )


class Deployer:
    """Brings a chain to what a plan says."""

    def __init__(self, plan: Deployment, chain: Chain, journal: Journal) -> None:
        self.plan, self.chain, self.journal = plan, chain, journal
        self._addresses: dict[
            Address, Address | None
        ] = {  # where what the plan makes stands, once that is known
            step.placeholder: None for step in plan.steps if step.placeholder is not None
        }

    def inspect(self, decide: Decide = lambda finding: CHANGED) -> list[StepStatus]:
        """What there is to do. A step that waits for a contract is examined as if that were not there."""
        found = []
        for step in self.plan.steps:
            finding = self._status(step)
            is_beside = finding.action == CHANGED and decide(finding) == BESIDE
            if finding.action == LEAVE or (finding.stands and not is_beside):
                self._enter(step, finding.record)
            elif finding.receipt is not None and step.placeholder is not None:
                self._addresses[step.placeholder] = finding.receipt.address
            found.append(finding)
        self._addresses = dict.fromkeys(self._addresses)
        return found

    def apply(self, decide: Decide) -> Iterator[tuple[StepStatus, Record]]:
        """Do it, step by step; each is told when it is done. A node that lacks the code of any is refused before."""
        self._need_code(decide)
        for step in self.plan.steps:
            finding = self._status(step)
            yield finding, self._do(finding, decide)

    # Examining

    def _status(self, step: Step) -> StepStatus:
        fresh = CREATE if step.to is None else CALL
        record, settled = self.journal.read(step.name), self._resolve(step)
        if record is None or settled is None:
            return StepStatus(step, fresh, record)
        if record["status"] == SENDING:
            receipt = self._sent(record, step, settled[1])
            return StepStatus(step, fresh if receipt is None else RESUME, record, receipt)
        if not self._is_on_chain(record):
            return StepStatus(step, fresh)
        if step.to is not None:
            same = (record["to"], record["data"]) == (_hex(settled[0] or b""), _hex(settled[1]))
            return StepStatus(step, LEAVE if same else CALL, record)
        return self._compare(step, record, settled[1])

    def _compare(self, step: Step, record: Record, data: bytes) -> StepStatus:
        """A contract that stands, with its class of now."""
        program = step.program
        if program is None:
            if record["data"] == _hex(data):
                return StepStatus(step, LEAVE, record)
            return StepStatus(step, CHANGED, record, None, ["its bytecode"], ["it is bytecode"])
        told, hinder, standing = [], [], self._standing(record)
        if record["args"] != _hex(self._substitute(step.init_args) or b""):
            told.append("the arguments of its @init")
            hinder.append("its @init had other arguments, and runs once")
        if is_changed(standing, program):
            told += changes(standing, program)
            hinder += upgrade_blockers(standing, program)
        if not told:
            is_recorded = record["digest"] == standing["digest"]
            return StepStatus(step, LEAVE if is_recorded else RESUME, record)
        return StepStatus(step, CHANGED, record, changes=told, obstacles=hinder)

    def _standing(self, record: Record) -> Record:
        """What the class of a contract is now: as the chain knows it, or else as it is written in the journal."""
        digest = parse_code(self.chain.code(Address(record["address"])))
        artifact = None if digest is None else self.chain.ledger.artifacts.get(digest)
        return record if digest is None or artifact is None else described(digest, artifact)

    def _is_on_chain(self, record: Record) -> bool:
        """Whether the chain knows the transaction of a record as it is written there."""
        receipts, place = self.chain.receipts, record["receipt"]
        if not 0 <= place < len(receipts):
            return False
        receipt = receipts[place]
        return receipt.ok and _hex(receipt.tx_hash) == record["transaction"]

    def _sent(self, record: Record, step: Step, data: bytes) -> Receipt | None:
        """The transaction that was about to be sent, if it was."""
        mine = self.chain.receipts.where(lambda r: r.nonce == record["nonce"], sender=step.sender)
        receipt = mine.last()
        if receipt is None or not receipt.ok or receipt.data != data:
            return None
        return receipt

    # Doing

    def _need_code(self, decide: Decide) -> None:
        programs = [
            finding.step.program
            for finding in self.inspect(decide)
            if finding.action in (CREATE, CHANGED) and finding.step.program is not None
        ]
        self.chain.need_code(programs)

    def _do(self, finding: StepStatus, decide: Decide) -> Record:
        step, record = finding.step, finding.record
        is_upgraded = finding.action == RESUME and finding.stands
        if is_upgraded or (finding.action == CHANGED and decide(finding) == UPGRADE):
            record = self._upgrade(finding)
        elif finding.action == RESUME and finding.receipt is not None:
            record = self._done(step, finding.receipt, self._version(record))
        elif finding.action != LEAVE:
            if finding.action == CHANGED and record is not None:
                self.journal.keep_version(step.name, record)
                record = {**record, "version": record.get("version", 1) + 1}
            record = self._send(step, self._version(record))
        assert record is not None
        self._enter(step, record)
        return record

    def _send(self, step: Step, version: int) -> Record:
        settled = self._resolve(step)
        if settled is None:
            raise StepFailed(f"{step.name} uses a contract that the plan makes only later")
        to, data = settled
        name = self.plan.named.get(step.sender)
        if name is not None:
            self.chain.account(name)
        if step.program is not None:
            self.chain.declare(step.program.spec.cls)
        intent = {"nonce": self.chain.nonce(step.sender), "data": _hex(data), "version": version}
        self.journal.write(step.name, {"status": SENDING, "sender": _hex(step.sender), **intent})
        receipt = self.chain.send(to, data, sender=step.sender, value=step.value, gas=step.gas)
        if receipt.error is not None:
            raise StepFailed(f"{step.name} was refused: {receipt.error}") from Reverted(receipt)
        return self._done(step, receipt, version)

    def _done(self, step: Step, receipt: Receipt, version: int) -> Record:
        record: Record = {
            "status": DONE,
            "address": form.address_text(receipt.address),
            "transaction": _hex(receipt.tx_hash),
            "block": receipt.block_number,
            "receipt": receipt.position,
            "sender": form.address_text(receipt.sender),
            "nonce": receipt.nonce,
            "to": _hex(receipt.to or b""),
            "data": _hex(receipt.data),
            "value": form.number(receipt.value),
        }
        if step.to is None:
            record |= {"version": version, "args": _hex(self._substitute(step.init_args) or b"")}
            if step.program is not None:
                record |= description_of(step.program)
        elif step.entry is not None:
            record["entry"] = step.entry.name
        self.journal.write(step.name, record)
        return record

    def _upgrade(self, finding: StepStatus) -> Record:
        """Have the contract get its new code, from the account that made it. Doing that twice changes nothing."""
        step, record = finding.step, finding.record
        finding.check_upgrade()
        assert step.program is not None and record is not None
        where, cls = Address(record["address"]), step.program.spec.cls
        try:
            receipt = self.chain.upgrade(where, cls, sender=step.sender)
        except Reverted as no:
            raise StepFailed(f"the upgrade of {step.name} was refused: {no}") from no
        upgrade = {
            "transaction": _hex(receipt.tx_hash),
            "block": receipt.block_number,
            "receipt": receipt.position,
        }
        upgraded = {**record, **description_of(step.program), "upgrade": upgrade}
        self.journal.write(step.name, upgraded)
        return upgraded

    # Stand-ins

    def _enter(self, step: Step, record: Record | None) -> None:
        if step.placeholder is not None and record is not None:
            self._addresses[step.placeholder] = Address(record["address"])

    def _resolve(self, step: Step) -> tuple[Address | None, bytes] | None:
        """To whom and with what, addresses in the place of stand-ins; None while one of them is not known."""
        to = self._addresses.get(step.to, step.to) if step.to is not None else None
        data = self._substitute(step.data)
        return None if data is None or (to is None and step.to is not None) else (to, data)

    def _substitute(self, data: bytes) -> bytes | None:
        for stand_in, address in self._addresses.items():
            if bytes(stand_in) in data:
                if address is None:
                    return None
                data = data.replace(bytes(stand_in), bytes(address))
        return data

    @staticmethod
    def _version(record: Record | None) -> int:
        return 1 if record is None else int(record.get("version", 1))


def _hex(raw: bytes) -> str:
    return f"0x{bytes(raw).hex()}"
