"""Applies a plan to a chain: finds out for each step what there is to do, and does it.

A step is done if the journal says so and its transaction is on the chain. So the journal of a chain that was created again
is not an obstacle. A transaction whose record was not completed is found by its sender and nonce.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from chain.deployment.journal import DONE, SENDING, Journal, Record
from chain.deployment.plan import Deployment, Step
from chain.errors import Reverted
from chain.ledger.receipts import Receipt
from chain.ledger.sql.json_values import address_text, portable, to_hex
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
RESUME: Final = "resume"  # its transaction or upgrade was made, but its record was not completed
LEAVE: Final = "leave"
CHANGED: Final = "changed"
UPGRADE: Final = "upgrade"
BESIDE: Final = "beside"
NOTHING: Final = (LEAVE,)

Decide = Callable[["StepStatus"], str]  # returns UPGRADE or BESIDE


class StepFailed(ValueError):
    """A step was refused by its contract; the message says which and why."""


@dataclass(frozen=True)
class StepStatus:
    """A step, and the action that it needs."""

    step: Step
    action: str
    record: Record | None = None
    receipt: Receipt | None = None  # of its transaction, if that was found on the chain
    changes: Sequence[str] = ()
    obstacles: Sequence[str] = ()  # why it cannot be upgraded

    @property
    def is_deployed(self) -> bool:
        """True if its contract is deployed on the chain, whatever its code."""
        return self.action in (CHANGED, RESUME) and self.receipt is None

    def check_upgrade(self) -> None:
        """Refuse an upgrade in place if there are obstacles."""
        if self.obstacles:
            raise CannotUpgrade(
                f"{self.step.name} cannot be upgraded in place: {'; '.join(self.obstacles)}"
            )


class Deployer:
    """Applies a plan to a chain."""

    def __init__(self, plan: Deployment, chain: Chain, journal: Journal) -> None:
        self.plan, self.chain, self.journal = plan, chain, journal
        # placeholder -> address of the contract, once that is known
        self._addresses: dict[Address, Address | None] = {
            step.placeholder: None for step in plan.steps if step.placeholder is not None
        }

    def inspect(self, decide: Decide = lambda status: CHANGED) -> list[StepStatus]:
        """Return the status of each step. A step that needs a missing contract is examined as not yet done."""
        statuses = []
        for step in self.plan.steps:
            status = self._status(step)
            is_beside = status.action == CHANGED and decide(status) == BESIDE
            if status.action == LEAVE or (status.is_deployed and not is_beside):
                self._enter(step, status.record)
            elif status.receipt is not None and step.placeholder is not None:
                self._addresses[step.placeholder] = status.receipt.address
            statuses.append(status)
        self._addresses = dict.fromkeys(self._addresses)
        return statuses

    def apply(self, decide: Decide) -> Iterator[tuple[StepStatus, Record]]:
        """Do each step, and yield its status before and its record after. Missing code on a node is refused first."""
        self._need_code(decide)
        for step in self.plan.steps:
            status = self._status(step)
            yield status, self._do(status, decide)

    # Examining

    def _status(self, step: Step) -> StepStatus:
        initial_action = CREATE if step.to is None else CALL
        record, settled = self.journal.read(step.name), self._resolve(step)
        if record is None or settled is None:
            return StepStatus(step, initial_action, record)
        if record["status"] == SENDING:
            receipt = self._sent(record, step, settled[1])
            return StepStatus(step, initial_action if receipt is None else RESUME, record, receipt)
        if not self._is_on_chain(record):
            return StepStatus(step, initial_action)
        if step.to is not None:
            same = (record["to"], record["data"]) == (to_hex(settled[0] or b""), to_hex(settled[1]))
            return StepStatus(step, LEAVE if same else CALL, record)
        return self._compare(step, record, settled[1])

    def _compare(self, step: Step, record: Record, data: bytes) -> StepStatus:
        """Compare a deployed contract with its present class."""
        program = step.program
        if program is None:
            if record["data"] == to_hex(data):
                return StepStatus(step, LEAVE, record)
            return StepStatus(step, CHANGED, record, None, ["its bytecode"], ["it is bytecode"])
        differences, obstacles, deployed = [], [], self._deployed(record)
        if record["args"] != to_hex(self._substitute(step.init_args) or b""):
            differences.append("the arguments of its @init")
            obstacles.append("its @init had other arguments, and runs once")
        if is_changed(deployed, program):
            differences += changes(deployed, program)
            obstacles += upgrade_blockers(deployed, program)
        if not differences:
            is_recorded = record["digest"] == deployed["digest"]
            return StepStatus(step, LEAVE if is_recorded else RESUME, record)
        return StepStatus(step, CHANGED, record, changes=differences, obstacles=obstacles)

    def _deployed(self, record: Record) -> Record:
        """Return the present class of a contract: as the chain knows it, or else as the journal describes it."""
        digest = parse_code(self.chain.code(Address(record["address"])))
        artifact = None if digest is None else self.chain.ledger.artifacts.get(digest)
        return record if digest is None or artifact is None else described(digest, artifact)

    def _is_on_chain(self, record: Record) -> bool:
        """True if the chain has the transaction of a record, as it is recorded."""
        receipts, position = self.chain.receipts, record["receipt"]
        if not 0 <= position < len(receipts):
            return False
        receipt = receipts[position]
        return receipt.ok and to_hex(receipt.tx_hash) == record["transaction"]

    def _sent(self, record: Record, step: Step, data: bytes) -> Receipt | None:
        """Return the transaction that a record announces, if it was made."""
        sent = self.chain.receipts.where(
            lambda receipt: receipt.nonce == record["nonce"], sender=step.sender
        )
        receipt = sent.last()
        if receipt is None or not receipt.ok or receipt.data != data:
            return None
        return receipt

    # Doing

    def _need_code(self, decide: Decide) -> None:
        """Refuse the plan if the chain is in a node that lacks the code of a contract."""
        programs = [
            status.step.program
            for status in self.inspect(decide)
            if status.action in (CREATE, CHANGED) and status.step.program is not None
        ]
        self.chain.need_code(programs)

    def _do(self, finding: StepStatus, decide: Decide) -> Record:
        step, record = finding.step, finding.record
        is_upgraded = finding.action == RESUME and finding.is_deployed
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
        intent = {"nonce": self.chain.nonce(step.sender), "data": to_hex(data), "version": version}
        self.journal.write(step.name, {"status": SENDING, "sender": to_hex(step.sender), **intent})
        receipt = self.chain.send(to, data, sender=step.sender, value=step.value, gas=step.gas)
        if receipt.error is not None:
            raise StepFailed(f"{step.name} was refused: {receipt.error}") from Reverted(receipt)
        return self._done(step, receipt, version)

    def _done(self, step: Step, receipt: Receipt, version: int) -> Record:
        record: Record = {
            "status": DONE,
            "address": address_text(receipt.address),
            "transaction": to_hex(receipt.tx_hash),
            "block": receipt.block_number,
            "receipt": receipt.position,
            "sender": address_text(receipt.sender),
            "nonce": receipt.nonce,
            "to": to_hex(receipt.to or b""),
            "data": to_hex(receipt.data),
            "value": portable(receipt.value),
        }
        if step.to is None:
            record |= {"version": version, "args": to_hex(self._substitute(step.init_args) or b"")}
            if step.program is not None:
                record |= description_of(step.program)
        elif step.entry is not None:
            record["entry"] = step.entry.name
        self.journal.write(step.name, record)
        return record

    def _upgrade(self, finding: StepStatus) -> Record:
        """Upgrade the contract from the account that made it. Doing that twice changes nothing."""
        step, record = finding.step, finding.record
        finding.check_upgrade()
        assert step.program is not None and record is not None
        address, cls = Address(record["address"]), step.program.spec.cls
        try:
            receipt = self.chain.upgrade(address, cls, sender=step.sender)
        except Reverted as refusal:
            raise StepFailed(f"the upgrade of {step.name} was refused: {refusal}") from refusal
        upgrade = {
            "transaction": to_hex(receipt.tx_hash),
            "block": receipt.block_number,
            "receipt": receipt.position,
        }
        upgraded = {**record, **description_of(step.program), "upgrade": upgrade}
        self.journal.write(step.name, upgraded)
        return upgraded

    # Placeholders

    def _enter(self, step: Step, record: Record | None) -> None:
        if step.placeholder is not None and record is not None:
            self._addresses[step.placeholder] = Address(record["address"])

    def _resolve(self, step: Step) -> tuple[Address | None, bytes] | None:
        """Return the recipient and the data of a step, with addresses instead of placeholders.

        None if one of the addresses is not known yet.
        """
        to = self._addresses.get(step.to, step.to) if step.to is not None else None
        data = self._substitute(step.data)
        return None if data is None or (to is None and step.to is not None) else (to, data)

    def _substitute(self, data: bytes) -> bytes | None:
        for placeholder, address in self._addresses.items():
            if bytes(placeholder) in data:
                if address is None:
                    return None
                data = data.replace(bytes(placeholder), bytes(address))
        return data

    @staticmethod
    def _version(record: Record | None) -> int:
        return 1 if record is None else int(record.get("version", 1))
