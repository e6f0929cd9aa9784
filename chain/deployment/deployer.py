"""Applies a plan to a chain: determines for each step what there is to do, and does it.

A step is done if the journal says so and its transaction is on the chain. A transaction whose record was not completed is
found by what it sends, among those that its sender has made since.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chain.crypto.accounts import Account
from chain.deployment.examination import (
    BESIDE,
    CALL,
    CHANGED,
    CREATE,
    RESEND,
    RESUME,
    UPGRADE,
    Decide,
    Examination,
    StepStatus,
    undecided,
)
from chain.deployment.journal import (
    DONE,
    REMOVED,
    REPLACED,
    SENDING,
    Journal,
    Record,
    data_text,
    done,
    sent,
    without,
)
from chain.deployment.matching import Match, match
from chain.deployment.plan import Deployment
from chain.deployment.recovery import find, find_version, recover
from chain.deployment.signed import send_signed
from chain.deployment.stand_ins import StandIns
from chain.deployment.step import Step
from chain.errors import Reverted
from chain.ledger.artifacts import artifact_of
from chain.ledger.receipts import Receipt
from chain.ledger.sql.json_values import address_text, portable, to_hex
from chain.metering.program import Program
from chain.simulator.chain import Chain
from chain.simulator.upgrade import check_upgrade, receipt_of_code
from chain.spec.contracts import UPGRADE as UPGRADE_ENTRY
from chain.types import Address


class StepFailed(ValueError):
    """A step was refused by its contract; the message says which and why."""


class Deployer:
    """Applies a plan to a chain. Transactions of `signer` are signed here, so the chain needs no key for it.

    `claimed` are the transactions that belong to other plans.
    """

    def __init__(
        self, plan: Deployment, chain: Chain, journal: Journal, signer: Account | None = None,
        claimed: frozenset[str] = frozenset(),
    ) -> None:  # fmt: skip
        self.plan, self.chain, self.journal = plan, chain, journal
        self.gone: dict[str, Record] = {}  # records of steps that the plan no longer has
        self._signer, self._claimed = signer, claimed
        self._records: dict[str, Record] = {}  # as the chain completes them

    def inspect(self, decide: Decide = undecided) -> list[StepStatus]:
        """Return the status of each step. A step that needs a missing contract is examined as not yet done."""
        statuses = []
        for step, found in zip(self.plan.steps, self._begin(), strict=True):
            status = self._examination.status(step, found)
            if status.action != CHANGED or decide(status) != BESIDE:
                self._enter(step, status.record)
            statuses.append(status)
        return statuses

    def apply(self, decide: Decide = undecided) -> Iterator[tuple[StepStatus, Record | None]]:
        """Do each step, and yield its status before and its record after. Missing code on a node is refused first."""
        self.need_code(decide)
        for program in self.plan.declared.values():
            self.chain.declare(program.spec.cls)
        matches = self._begin()
        records = _renamed(self._records, matches, self.gone)
        resumed = {
            name: RESUME for name, each in records.items() if self._examination.is_resumed(each)
        }
        self.journal.keep(records, resumed)
        for step, found in zip(self.plan.steps, matches, strict=True):
            status = self._examination.status(step, found)
            yield status, self._do(status, decide)

    def on_fork(self) -> Deployer:
        """Return a deployer for a fork of the chain, with a draft of the journal."""
        self.need_code()
        fork, draft = self.chain.fork(), self.journal.draft()
        return Deployer(self.plan, fork, draft, self._signer, self._claimed)

    def find_on_chain(self) -> dict[str, Record]:
        """Return records of the steps that were sent to the chain without this journal."""
        found: dict[str, Record] = {}
        known = self._claimed
        for step, place in zip(self.plan.steps, self._begin(), strict=True):
            settled = self._stand_ins.resolve(step.to, step.data)
            if settled is None:
                continue
            announced = {**self._intent(step, *settled), "nonce": 0}
            receipt = find(announced, self.chain, known)
            if receipt is None and step.to is None and step.program is not None:
                args = self._stand_ins.substitute(step.init_args) or b""
                version = find_version(announced, step.program, args, self.chain, known)
                if version is not None:
                    receipt, digest = version
                    announced |= {"data": data_text(receipt.data), "digest": to_hex(digest)}
            if receipt is not None:
                found = done({**found, place.name: announced}, place.name, receipt)
                known |= {to_hex(receipt.tx_hash)}
                self._enter(step, found[place.name])
        return found

    def need_code(self, decide: Decide = undecided) -> None:
        """Refuse the plan if the chain is in a node that lacks the code of a contract."""
        programs = [
            status.step.program
            for status in self.inspect(decide)
            if status.is_contract and status.action in (CREATE, CHANGED) and status.step.program
        ]
        self.chain.need_code(programs)

    def _begin(self) -> list[Match]:
        """Match the plan with the journal as the chain completes it."""
        steps = self.plan.steps
        made = [step.placeholder for step in steps if step.placeholder is not None]
        self._records, resumed = recover(self.journal.records, self.chain, self._claimed)
        matches, self.gone = match(steps, self._records, StandIns(made))
        self._stand_ins = StandIns(made)
        self._examination = Examination(self.plan, self.chain, self._stand_ins, resumed)
        return matches

    # Doing

    def _do(self, status: StepStatus, decide: Decide) -> Record | None:
        step, record = status.step, status.record
        choice = decide(status) if status.action == CHANGED else status.action
        if choice == RESUME and not self._examination.is_resumed(record):
            choice = UPGRADE
        if choice == UPGRADE and status.is_contract:
            record = self._upgrade(status)
        elif choice in (CREATE, CALL, BESIDE, RESEND):
            record = self._send(status, choice)
        elif status.action == choice and record is not None and step.unless is None:
            record = {**record, **_labels(step), "status": DONE}
            self.journal.write(status.name, record)
        self._enter(step, record)
        return record

    def _send(self, status: StepStatus, action: str) -> Record:
        step = status.step
        settled = self._stand_ins.resolve(step.to, step.data)
        if settled is None:
            raise StepFailed(f"{status.name} uses a contract that the plan deploys only later")
        name = self.plan.named.get(step.sender)
        if name is not None:
            self.chain.account(name)
        before = self.journal.read(status.name)
        intent = self._intent(step, *settled)
        if before is not None:
            intent["was"] = before
            if step.to is None:
                intent["version"] = before.get("version", 1) + 1
        self.journal.write(status.name, intent)
        receipt = self._transact(step, *settled, step.value, step.gas)
        if receipt.error is not None:
            self.journal.keep(without(self.journal.records, status.name))
            raise StepFailed(f"{status.name} was refused: {receipt.error}") from Reverted(receipt)
        self.journal.keep(done(self.journal.records, status.name, receipt), {status.name: action})
        return self.journal.records[status.name]

    def _transact(
        self, step: Step, to: Address | None, data: bytes, value: int = 0, gas: int | None = None
    ) -> Receipt:
        """Send a transaction from the sender of a step; sign it if that is the signer."""
        chain, signer = self.chain, self._signer
        if signer is None or step.sender != signer:
            return chain.send(to, data, sender=step.sender, value=value, gas=gas)
        return send_signed(chain, signer, to, data, value, gas)

    def _intent(self, step: Step, to: Address | None, data: bytes) -> Record:
        """Return the record of a step that is about to be sent."""
        record: Record = {
            "status": SENDING,
            **_labels(step),
            "sender": address_text(step.sender),
            "to": None if to is None else to_hex(to),
            "data": data_text(data),
            "value": portable(step.value),
            "nonce": self.chain.nonce(step.sender),
        }
        if step.to is None:
            args = self._stand_ins.substitute(step.init_args) or b""
            record |= {"version": 1, "args": data_text(args)}
            if step.program is not None:
                record |= _class_of(step.program)
        return record

    def _upgrade(self, status: StepStatus) -> Record:
        """Upgrade the contract from the account that deployed it. A second upgrade changes nothing."""
        step, record = status.step, status.record
        status.check_upgrade()
        assert step.program is not None and record is not None
        chain, address, program = self.chain, Address(record["address"]), step.program
        code = chain.code(address)
        receipt = receipt_of_code(chain.ledger, address) if code == program.code else None
        if receipt is None:
            check_upgrade(chain.ledger, address, code, program)
            receipt = self._transact(
                step, address, UPGRADE_ENTRY.encode_args((program.digest,), {})
            )
        if receipt.error is not None:
            raise StepFailed(f"the upgrade of {status.name} was refused: {receipt.error}")
        upgraded = {**record, **_labels(step), **_class_of(program), "upgrade": sent(receipt)}
        self.journal.keep({**self.journal.records, status.name: upgraded}, {status.name: UPGRADE})
        return upgraded

    # Stand-ins

    def _enter(self, step: Step, record: Record | None) -> None:
        if step.placeholder is not None and record is not None:
            address = Address(record["address"])
            self._stand_ins.enter(step.placeholder, address)
            if step.placeholder in self.plan.bytecode:
                self.chain.ledger.load_abi(address, self.plan.bytecode[step.placeholder])


def _labels(step: Step) -> Record:
    """Return the labels of a step in its record, for people and for the next match."""
    is_named = step.is_named and step.to is not None
    return {"what": step.what, "target": step.target, "is_named": is_named}


def _class_of(program: Program) -> Record:
    return {"contract": artifact_of(program).name, "digest": to_hex(program.digest)}


def _renamed(
    records: dict[str, Record], matches: Sequence[Match], gone: dict[str, Record]
) -> dict[str, Record]:
    """Return all records in the order of the plan, under the present names of their steps."""
    in_plan = {found.name: found.record for found in matches if found.record is not None}
    removed = {name: {**record, "status": REMOVED} for name, record in gone.items()}
    replaced = {name: each for name, each in records.items() if each["status"] == REPLACED}
    return {
        **{name: {**each, "status": DONE} for name, each in in_plan.items()},
        **removed,
        **replaced,
    }
