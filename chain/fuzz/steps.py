"""What a fuzz run does, one step at a time: deploy, call, let time pass.

A step names the contract it goes to and says whom it comes from, so that a list of steps can be played again on a fresh chain,
made shorter, and written down as a test.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

from chain.errors import InvalidTransaction, Reverted
from chain.ledger.logs import text_of
from chain.ledger.receipts import Receipt
from chain.machine.frame import Failure
from chain.runtime.contract import Contract
from chain.schema.validation import ValueMismatch
from chain.simulator.handle import (
    CallResult,
    Entry,
)
from chain.types import Address

if TYPE_CHECKING:
    from chain.fuzz.fuzz_case import Fuzz


@dataclass(frozen=True, slots=True)
class Call:
    """One entry of the contract known as `on`."""

    on: str
    entry: str
    args: tuple[Any, ...]
    sender: Address
    value: int = 0


@dataclass(frozen=True, slots=True)
class Wait:
    """The next block comes so much later."""

    seconds: int


@dataclass(frozen=True, slots=True)
class Deployment:
    """A contract whose `@init` takes arguments."""

    contract: type[Contract]
    args: tuple[Any, ...]
    sender: Address
    value: int = 0


Step: TypeAlias = Call | Wait | Deployment


@dataclass(frozen=True, slots=True)
class StepResult:
    """How a step went."""

    error: Failure | None = None
    value: Any = None
    receipt: Receipt | None = None  # of a call that was no view

    @property
    def announced(self) -> tuple[str, ...]:
        """Events by name, text logs as they are; those of several lines are pictures, and no news."""
        if self.receipt is None:
            return ()
        texts = (text_of(row) for row in self.receipt.log_rows)
        lines = [text for text in texts if text is not None and "\n" not in text]
        return (*lines, *(type(event).__name__ for event in self.receipt.events))

    @property
    def stored(self) -> list[tuple[str, Any]]:
        """Places in storage by name, all items of a collection as one, and what stands there now."""
        return [
            (f"{w.contract}.{w.name}.{re.sub('[0-9]+', '#', w.member)}", _plain(w.new))
            for w in (self.receipt.writes if self.receipt is not None else ())
        ]


@dataclass(frozen=True, slots=True)
class Problem:
    """What a run looks for: an entry that raises, or an invariant that does not hold."""

    kind: str  # "raises" or "breaks"
    name: str
    why: str
    cause: BaseException | None = field(default=None, compare=False)

    def is_like(self, other: Problem | None) -> bool:
        """Whether it is the same problem, met in another way."""
        return other is not None and self._what() == other._what()

    def _what(self) -> tuple[str, str, type]:
        return self.kind, self.name, type(self.cause)

    def __str__(self) -> str:
        if self.kind == "breaks":
            return f"invariant {self.name} does not hold: {self.why}"
        return f"{self.name} fails as no entry should: {self.why}"


def perform(play: Fuzz, step: Step) -> StepResult | None:
    """Take a step on the chain of `play`; None where no block could hold it, the sender being out of funds, say."""
    try:
        match step:
            case Wait(seconds=seconds):
                play.chain.advance(seconds)
                return StepResult()
            case Deployment(contract=contract, args=args, sender=sender, value=value):
                return _deploy(play, contract, args, sender, value)
            case Call():
                return _call(play.handles[step.on][step.entry], step)
    except InvalidTransaction:
        return None


def problem_after(play: Fuzz, step: Step, done: StepResult) -> Problem | None:
    """What is wrong now that `step` was taken. Invariants are asked once every contract is there."""
    if done.error is not None and play.is_finding(done.error):
        return Problem("raises", entry_name(play, step), str(done.error), done.error.cause)
    if is_view(play, step) or play.missing:
        return None
    for name in play.invariants():
        try:
            answer = getattr(play, name)()
        except Exception as broken:
            return Problem("breaks", name, _why(broken), broken)
        if answer is not None:
            raise TypeError(
                f"{type(play).__name__}.{name} returned {answer!r}: an invariant asserts, and returns nothing"
            )
    return None


def _why(broken: Exception) -> str:
    kind, text = type(broken).__name__, str(broken).strip()
    return text if text and isinstance(broken, AssertionError) else f"{kind}: {text}".rstrip(": ")


def entry_name(play: Fuzz, step: Step) -> str:
    match step:
        case Wait():
            return "advance"
        case Deployment(contract=contract):
            return f"{contract.__name__}.{contract.__spec__.init.name if contract.__spec__.init else 'deploy'}"
        case Call(on=on, entry=entry):
            return f"{play.handles[on].contract.__name__}.{entry}"


def is_view(play: Fuzz, step: Step) -> bool:
    if not isinstance(step, Call):
        return False
    return play.handles[step.on].contract.__spec__.entries[step.entry].is_view


def is_misfit_of_result(failure: Failure) -> bool:
    """Whether an entry's own result did not fit the width declared for it: the author's slip, whoever calls."""
    cause = failure.cause
    return isinstance(cause, ValueMismatch) and cause.path.partition(".")[2].startswith("result")


def _call(entry: Entry, step: Call) -> StepResult:
    value = step.value or None
    if entry.spec.is_view:
        seen: CallResult = entry.simulate(*step.args, sender=step.sender)
        return StepResult(seen.error, seen.value)
    receipt: Receipt = entry(*step.args, sender=step.sender, value=value, check=False)
    result = receipt.return_value if receipt.error is None else None
    return StepResult(receipt.error, result, receipt)


def _deploy(
    play: Fuzz, contract: type[Contract], args: tuple[Any, ...], sender: Address, value: int
) -> StepResult:
    try:
        play.deploy(contract, *args, sender=sender, value=value or None)
    except Reverted as no:
        return StepResult(no.error)
    return StepResult()


def _plain(value: Any) -> Any:
    """A value as far as it tells one situation from another: a long one by its length."""
    match value:
        case bool() | int() | Enum() | None:
            return value
        case str() | bytes() | list() | tuple():
            return type(value).__name__, len(value)
        case _:
            return type(value).__name__
