"""The steps of a fuzz run: deploy, call, let time pass.

A step names its contract and its sender. So a list of steps can be played again on a new chain, made shorter, and written down
as a test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from traceback import extract_tb
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from chain.errors import InvalidTransaction, Reverted
from chain.foundation.dataclass import dataclass
from chain.ledger.receipts import Receipt
from chain.machine.failure import Failure
from chain.runtime.contract import Contract
from chain.simulator.handle import CallResult, Entry
from chain.spec.contracts import ContractSpec, EntrySpec
from chain.types import Address
from chain.values import ValueMismatch

if TYPE_CHECKING:
    from chain.fuzz.fuzz_case import Fuzz


@dataclass(frozen=True, slots=True)
class Call:
    """A call of one entry of the contract with the handle name `on`."""

    on: str
    entry: str
    args: tuple[object, ...]
    sender: Address
    value: int = 0


@dataclass(frozen=True, slots=True)
class Wait:
    """A delay: the next block comes that many seconds later."""

    seconds: int


@dataclass(frozen=True, slots=True)
class PlannedDeployment:
    """The deployment of a contract whose `@init` takes arguments."""

    contract: type[Contract]
    args: tuple[object, ...]
    sender: Address
    value: int = 0


Step: TypeAlias = Call | Wait | PlannedDeployment


class StepResult(NamedTuple):
    """The result of a step."""

    error: Failure | None = None
    value: object = None
    receipt: Receipt | None = None  # only of a call that is not a view
    spec: EntrySpec | None = None  # only of a call

    @property
    def is_of_view(self) -> bool:
        return self.spec is not None and self.spec.is_view


@dataclass(frozen=True, slots=True)
class StepProblem:
    """A problem that a run looks for: an entry that raises, or an invariant that does not hold."""

    kind: str  # "raises" or "breaks"
    name: str
    why: str
    cause: BaseException | None = field(default=None, compare=False)

    def is_like(self, other: StepProblem | None) -> bool:
        """Return True if it is the same problem, reached in another way."""
        return other is not None and self._what() == other._what()

    def _what(self) -> tuple[str, str, type]:
        return self.kind, self.name, type(self.cause)

    def __str__(self) -> str:
        if self.kind == "breaks":
            return f"invariant {self.name} does not hold: {self.why}"
        return f"{self.name} fails with an unexpected error: {self.why}"


def perform(play: Fuzz, step: Step) -> StepResult | None:
    """Take a step on the chain of `play`. Return None if no block could hold it, as when the sender lacks funds."""
    try:
        match step:
            case Wait(seconds=seconds):
                play.chain.advance(seconds)
                return StepResult()
            case PlannedDeployment(contract=contract, args=args, sender=sender, value=value):
                return _deploy(play, contract, args, sender, value)
            case Call():
                return _call(play.handles[step.on][step.entry], step)
    except InvalidTransaction:
        return None


def problem_after(
    play: Fuzz, invariants: Sequence[str], step: Step, done: StepResult
) -> StepProblem | None:
    """Return the problem after `step`, if any.

    Invariants are checked once every contract is deployed, and not after a view or a refusal, which change nothing.
    """
    if done.error is not None:
        if play.is_finding(done.error):
            return StepProblem("raises", entry_name(play, step), str(done.error), done.error.cause)
        return None
    if done.is_of_view or play.missing:
        return None
    for name in invariants:
        try:
            answer = getattr(play, name)()
        except Exception as error:
            return StepProblem("breaks", name, _why(error), error)
        if answer is not None:
            raise TypeError(
                f"{type(play).__name__}.{name} returned {answer!r}: an invariant asserts, and returns nothing"
            )
    return None


def _why(broken: Exception) -> str:
    """Return the text of an exception, with its type unless it is an AssertionError; of one without a text, its line."""
    text = str(broken).strip()
    if not isinstance(broken, AssertionError):
        return f"{type(broken).__name__}: {text}".rstrip(": ")
    return text or extract_tb(broken.__traceback__)[-1].line or "AssertionError"


def entry_name(play: Fuzz, step: Step) -> str:
    """Return the name of what a step calls, such as `Game.make_move`."""
    match step:
        case Wait():
            return "advance"
        case PlannedDeployment(contract=contract):
            return f"{contract.__name__}.{contract.__spec__.init.name if contract.__spec__.init else 'deploy'}"
        case Call(on=on, entry=entry):
            return f"{play.handles[on].contract.__name__}.{entry}"


def is_view(play: Fuzz, step: Step) -> bool:
    """Return True if the step is a call of a view."""
    if not isinstance(step, Call):
        return False
    spec: ContractSpec = play.handles[step.on].contract.__spec__
    return spec.entries[step.entry].is_view


def is_misfit_of_result(failure: Failure) -> bool:
    """Return True if an entry's own result does not fit its declared type: a mistake of the author, not of the caller."""
    cause = failure.cause
    return isinstance(cause, ValueMismatch) and cause.path.partition(".")[2].startswith("result")


def _call(entry: Entry, step: Call) -> StepResult:
    spec, value = entry.spec, step.value or None
    if spec.is_view:
        simulated: CallResult = entry.simulate(*step.args, sender=step.sender)
        return StepResult(simulated.error, simulated.value, None, spec)
    receipt: Receipt = entry(*step.args, sender=step.sender, value=value, check=False)
    error = receipt.error
    has_value = error is None and spec.returns is not None
    return StepResult(error, receipt.return_value if has_value else None, receipt, spec)


def _deploy(
    play: Fuzz, contract: type[Contract], args: tuple[object, ...], sender: Address, value: int
) -> StepResult:
    try:
        play.deploy(contract, *args, sender=sender, value=value or None)
    except Reverted as reverted:
        return StepResult(reverted.error)
    return StepResult()
