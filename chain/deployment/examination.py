"""The action that each step of a plan needs: a step is compared with its record and with the chain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from chain.deployment.journal import Record, data_text
from chain.deployment.matching import Match
from chain.deployment.plan import Deployment
from chain.deployment.stand_ins import StandIns
from chain.deployment.step import DeployedChain, NotDeployedYet, Step
from chain.foundation.dataclass import dataclass
from chain.ledger.sql.json_values import to_hex
from chain.metering.program import Program, parse_code
from chain.simulator.chain import Chain
from chain.simulator.upgrade import CannotUpgrade
from chain.simulator.upgrade_check import changes, described, is_changed, upgrade_blockers
from chain.types import Address

CREATE: Final = "create"
CALL: Final = "call"
RESUME: Final = "resume"  # its transaction or upgrade was made, but its record was not completed
LEAVE: Final = "leave"
CHANGED: Final = "changed"
UPGRADE: Final = "upgrade"
BESIDE: Final = "beside"
RESEND: Final = "resend"
ADOPT: Final = "adopt"  # it is on the chain, but the journal did not know of it

Decide = Callable[
    ["StepStatus"], str
]  # returns UPGRADE or BESIDE for a contract, RESEND for a call


@dataclass(frozen=True)
class StepStatus:
    """A step, and the action that it needs."""

    step: Step
    name: str  # in the journal
    action: str
    record: Record | None = None
    changes: Sequence[str] = ()
    obstacles: Sequence[str] = ()  # why it cannot be upgraded

    @property
    def is_contract(self) -> bool:
        return self.step.to is None

    def check_upgrade(self) -> None:
        """Refuse an upgrade in place if there are obstacles."""
        if self.obstacles:
            raise CannotUpgrade(
                f"{self.name} cannot be upgraded in place: {'; '.join(self.obstacles)}"
            )


def undecided(status: StepStatus) -> str:
    """Leave everything that changed as it is."""
    return LEAVE


class Examination:
    """The comparison of a plan with its records and the chain. `resumed` are transactions whose records were not completed."""

    def __init__(
        self, plan: Deployment, chain: Chain, stand_ins: StandIns, resumed: frozenset[str]
    ) -> None:
        self.stand_ins = stand_ins
        self._plan, self._chain, self._resumed = plan, chain, resumed

    def status(self, step: Step, found: Match) -> StepStatus:
        """Return the action that a step needs."""
        name, record, settled = found.name, found.record, self.stand_ins.resolve(step.to, step.data)
        to_do = StepStatus(step, name, CREATE if step.to is None else CALL)
        if step.unless is not None and not self.is_resumed(record):
            return StepStatus(step, name, LEAVE, record) if self._needs_no_call(step) else to_do
        if record is None or (settled is None and step.to is not None):
            return to_do
        if settled is None:
            reason = "it uses a contract that is deployed again"
            return StepStatus(step, name, CHANGED, record, [reason], [reason])
        as_before = StepStatus(step, name, RESUME if self.is_resumed(record) else LEAVE, record)
        if step.to is None:
            return self._compare(as_before, settled[1])
        to, data = to_hex(settled[0] or b""), data_text(settled[1])
        if record["to"] != to and record["target"] == step.target:
            return to_do  # it calls a contract that was deployed again
        is_sent = (record["to"], record["data"]) == (to, data)
        changed = self._sender_changes(step, record)
        if not is_sent and record["what"] != step.what:
            changed.insert(0, f"{record['what']} is now {step.what}")
        if changed:
            return StepStatus(step, name, CHANGED, record, changed)
        return as_before if is_sent else to_do  # an argument is a contract that was deployed again

    def is_resumed(self, record: Record | None) -> bool:
        """True if a killed run has sent the transaction of a record and not completed the record."""
        return record is not None and record["transaction"] in self._resumed

    def _needs_no_call(self, step: Step) -> bool:
        """True if the condition of a step is."""
        assert step.unless is not None
        try:
            return bool(step.unless(DeployedChain(self._chain, self.stand_ins)))
        except NotDeployedYet:
            return False

    def _sender_changes(self, step: Step, record: Record) -> list[str]:
        """Describe how the sender and the value of a step differ from those of its transaction."""
        before = Address(record["sender"]), int(record["value"])
        lines = []
        if step.sender != before[0]:
            show = self._display
            lines.append(f"its sender was {show(before[0])} and is {show(step.sender)}")
        if step.value != before[1]:
            lines.append(f"its value was {before[1]} wei and is {step.value} wei")
        return lines

    def _display(self, address: Address) -> str:
        """Return the name of an account in the plan, otherwise on the chain."""
        known = self._chain.keys.get(bytes(address))
        return self._plan.display(address) if known is None else known.name

    def _compare(self, as_before: StepStatus, data: bytes) -> StepStatus:
        """Compare a deployed contract with its present class."""
        step, record = as_before.step, as_before.record
        assert record is not None
        differences = self._sender_changes(step, record)
        obstacles = [f"{line}, and it is already deployed" for line in differences]
        if step.program is None:
            if record["data"] != data_text(data):
                differences.append("its bytecode")
                obstacles.append("it is bytecode")
        else:
            if record["args"] != data_text(self.stand_ins.substitute(step.init_args) or b""):
                differences.append(f"{record['what']} is now {step.what}")
                obstacles.append("its @init had other arguments, and runs only once")
            digest = self._compare_code(step.program, record, differences, obstacles)
            if not differences and record["digest"] != digest:
                return StepStatus(step, as_before.name, RESUME, record)
        if not differences:
            return as_before
        return StepStatus(step, as_before.name, CHANGED, record, differences, obstacles)

    def _compare_code(
        self, program: Program, record: Record, differences: list[str], obstacles: list[str]
    ) -> str:
        """Compare the code that a contract has on the chain with that of the plan; return its digest."""
        digest = parse_code(self._chain.code(Address(record["address"])))
        artifact = None if digest is None else self._chain.ledger.artifacts.get(digest)
        if digest is None or artifact is None:
            differences.append("its code on the chain is not the deployed code")
            obstacles.append("its present class is unknown")
            return ""
        deployed = described(digest, artifact)
        if is_changed(deployed, program):
            differences += changes(deployed, program)
            obstacles += upgrade_blockers(deployed, program)
        return to_hex(digest)
