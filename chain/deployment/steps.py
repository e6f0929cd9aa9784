"""A step of a deployment, and its comparison with the record of the transaction that did it before."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final

from chain.deployment.journal import RESUME, Record, data_text, done, find, unknown
from chain.ledger.sql.json_values import address_text, portable, to_hex
from chain.metering.program import Program, parse_code, parse_initcode
from chain.simulator.chain import Chain
from chain.simulator.upgrade_check import changes, described, is_changed, upgrade_blockers
from chain.types import Address

CREATE: Final = "create"
CALL: Final = "call"
LEAVE: Final = "leave"
CHANGED: Final = "changed"
UPGRADE: Final = "upgrade"
BESIDE: Final = "beside"
RESEND: Final = "resend"
ADOPT: Final = "adopt"  # it is on the chain, but the journal did not know of it

Display = Callable[[Address], str]


@dataclass(frozen=True)
class Step:
    """One transaction of a script."""

    name: str
    what: str  # the contract or the call with its arguments, as text
    sender: Address
    to: Address | None  # None: create a contract
    data: bytes
    value: int
    gas: int | None
    program: Program | None  # the class of the contract that is created

    @property
    def sent(self) -> Record:
        """The part of a record that describes what is sent."""
        record: Record = {
            "what": self.what,
            "sender": address_text(self.sender),
            "to": None if self.to is None else to_hex(self.to),
            "data": data_text(self.data),
            "value": portable(self.value),
        }
        if self.program is None:
            return record
        return {**record, **class_of(self.program), "args": data_text(self.init_args)}

    @property
    def init_args(self) -> bytes:
        """The encoded arguments of a contract that is created."""
        return b"" if self.program is None else self.program.args_of(self.data)


@dataclass(frozen=True)
class StepStatus:
    """A step, the action that it needs, and what was done."""

    step: Step
    action: str
    did: str = LEAVE
    record: Record | None = None
    changes: Sequence[str] = ()
    obstacles: Sequence[str] = ()  # why it cannot be upgraded
    is_new: bool = False  # it had no record

    @property
    def name(self) -> str:
        return self.step.name

    @property
    def is_contract(self) -> bool:
        return self.step.to is None


@dataclass(frozen=True)
class Choices:
    """The decisions about steps that were done before: `changed` is UPGRADE, BESIDE or LEAVE, for contracts."""

    changed: str = LEAVE
    resend: bool = False  # changed calls
    adopt: bool = False  # steps that are on the chain, and not in the journal

    def decide(self, status: StepStatus) -> str:
        """Return what to do about a step."""
        if status.action != CHANGED:
            return status.action
        return self.changed if status.is_contract else RESEND if self.resend else LEAVE


def class_of(program: Program) -> Record:
    """Return the part of a record that describes the class of a contract."""
    return {"contract": program.spec.name, "digest": to_hex(program.digest)}


def target_of(what: str) -> str:
    """Return the contract or the entry in the text of a step, without the arguments."""
    return what.partition("(")[0]


def compare(step: Step, record: Record, display: Display, chain: Chain) -> StepStatus:
    """Return the status of a step that was done before. What it calls or passes may have been deployed again since."""
    sent, lines = step.sent, _sender_changes(step, record, display)
    if step.to is None:
        return _compare_contract(step, record, lines, chain)
    is_sent = (record["to"], record["data"]) == (sent["to"], sent["data"])
    if record["to"] != sent["to"] and target_of(record["what"]) == target_of(step.what):
        return StepStatus(step, CALL, LEAVE, record)
    if not is_sent and record["what"] != step.what:
        lines.insert(0, f"{record['what']} is now {step.what}")
    return StepStatus(step, CHANGED if lines else LEAVE if is_sent else CALL, LEAVE, record, lines)


def _compare_contract(step: Step, record: Record, lines: list[str], chain: Chain) -> StepStatus:
    """Compare a deployed contract with its present class. `lines` say what changed besides."""
    action, obstacles = LEAVE, [f"{line}, and it is already deployed" for line in lines]
    if parse_initcode(step.data) is None or step.program is None:
        if record["data"] != data_text(step.data):
            lines.append("its bytecode")
            obstacles.append("it is bytecode")
    else:
        if record["args"] != step.sent["args"]:
            is_same = record["what"] == step.what
            reason = "an argument is a contract that was deployed again"
            lines.append(reason if is_same else f"{record['what']} is now {step.what}")
            obstacles.append("its @init had other arguments, and runs only once")
        digest = parse_code(chain.code(Address(record["address"])))
        artifact = None if digest is None else chain.ledger.artifacts.get(digest)
        if digest is None or artifact is None:
            lines.append("its code on the chain is not the deployed code")
            obstacles.append("its present class is unknown")
        elif is_changed(deployed := described(digest, artifact), step.program):
            lines += changes(deployed, step.program)
            obstacles += upgrade_blockers(deployed, step.program)
        elif record["digest"] != to_hex(digest):
            action = RESUME  # it was upgraded, and is not recorded so
    return StepStatus(step, CHANGED if lines else action, LEAVE, record, lines, obstacles)


def find_done(step: Step, chain: Chain, known: Collection[str]) -> Record | None:
    """Return the record of a step that was done without this journal; None if the chain does not have its transaction.

    A contract may be another version of its class, which was upgraded since, or is to be.
    """
    announced = {**step.sent, "nonce": 0}
    receipt = find(announced, chain, known)
    if receipt is not None:
        return done(announced, receipt)
    for receipt in unknown(chain, step.sender, known):
        digest, args = parse_initcode(receipt.data) or (b"", b"")
        artifact = chain.ledger.artifacts.get(digest) if receipt.to is None else None
        alike = artifact is not None and (artifact.name, args, receipt.value)
        if alike == (announced.get("contract"), step.init_args, step.value):
            version = {"data": data_text(receipt.data), "digest": to_hex(digest)}
            return done(announced | version, receipt)
    return None


def _sender_changes(step: Step, record: Record, display: Display) -> list[str]:
    """Describe how the sender and the value of a step differ from those of its transaction."""
    before = Address(record["sender"])
    lines = []
    if step.sender != before:
        lines.append(f"its sender was {display(before)} and is {display(step.sender)}")
    if step.value != int(record["value"]):
        lines.append(f"its value was {record['value']} wei and is {step.value} wei")
    return lines
