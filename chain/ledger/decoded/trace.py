"""A trace: what a transaction did, as the tree of its messages, each with its steps in order and in the contract's words.

One tree for Python and for bytecode. A step is a value read, a value written, a log, or a message below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.decoded.formatting import ValueFormatter
from chain.ledger.decoded.writes import (
    Reading,
    Write,
)
from chain.machine.frame import Failure
from chain.machine.state import LogRow
from chain.types import Address

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger
    from chain.spec.contracts import EntrySpec

_INDENT: Final = "    "
_WIDEST: Final = 100  # characters of one value
_ITEM: Final = re.compile(r"(.*)\[(\d+)\]")
_HOW: Final = {"static": " static", "delegate": " delegate"}


@dataclass(frozen=True, slots=True)
class LogStep:
    """A log as it was written: its text if it is one, the declared event in it if there is one."""

    row: LogRow
    text: str | None
    event: Any

    @property
    def address(self) -> Address:
        return Address(self.row[0])


@dataclass(frozen=True, slots=True, repr=False)
class Trace:
    """One message: what was asked, how it ended, and its steps. Printed, it is the whole tree."""

    ledger: Ledger = field(compare=False)
    kind: str  # "call", "static", "delegate", "create"
    address: Address
    caller: Address
    code_address: Address
    value: int
    data: bytes
    gas: int  # what it was given
    gas_used: int  # of that
    output: bytes
    error: Failure | None
    contract: str | None
    entry: EntrySpec | None
    args: dict[str, Any]
    steps: tuple[TraceStep, ...]

    @property
    def ok(self) -> bool:
        return self.error is None

    @property
    def result(self) -> Any:
        """What the entry returned; the raw bytes where the contract is not a Python one."""
        if self.error is not None or self.kind == "create":
            return None
        return self.entry.decode_result(self.output) if self.entry else self.output

    @property
    def calls(self) -> list[Trace]:
        """The messages it sent."""
        return [step for step in self.steps if isinstance(step, Trace)]

    @property
    def reads(self) -> list[Reading]:
        return [step for step in self.steps if isinstance(step, Reading)]

    @property
    def writes(self) -> list[Write]:
        return [step for step in self.steps if isinstance(step, Write)]

    @property
    def logs(self) -> list[LogStep]:
        return [step for step in self.steps if isinstance(step, LogStep)]

    @property
    def name(self) -> str:
        """`Game.make_move`, or the address where there are no names."""
        contract = self.contract or str(self.address)
        return f"{contract}.{self.entry.name}" if self.entry else contract

    def walk(self) -> Iterator[Trace]:
        """This message and all those below it, in the order in which they were sent."""
        left = [self]
        while left:
            message = left.pop()
            yield message
            left += reversed(message.calls)

    def __str__(self) -> str:
        return "\n".join(TraceFormatter(self.ledger).lines(self))

    def __repr__(self) -> str:
        how = "ok" if self.error is None else f"failed: {self.error}"
        return f"<Trace {self.name}: {how}, {len(self.steps)} steps>"


TraceStep: TypeAlias = Reading | Write | LogStep | Trace


class TraceFormatter:
    """Tells of messages in lines, accounts and contracts by their names."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger, self._who = ledger, AddressBook(ledger)
        self._show = ValueFormatter(self._who).show

    def lines(self, first: Trace) -> Iterator[str]:
        """The lines of a message and of all those below it, which may be a thousand deep."""
        yield f"{self._who.display(first.caller)}: {self._format_call(first)}{self._format_result(first)}"
        left: list[tuple[TraceStep, str]] = [(step, _INDENT) for step in reversed(first.steps)]
        while left:
            step, indent = left.pop()
            run: list[TraceStep] = [step] if isinstance(step, Reading) else []
            while run and left and self._is_next_item(run[-1], left[-1][0]):
                run.append(left.pop()[0])
            if len(run) > 1:
                yield f"{indent}{self._reads(run)}"
                continue
            yield from self._step(step, indent)
            if isinstance(step, Trace):
                left += [(inner, indent + _INDENT) for inner in reversed(step.steps)]

    def _is_next_item(self, last: TraceStep, step: TraceStep) -> bool:
        """Whether a step reads the next item of the same list."""
        if not isinstance(last, Reading) or not isinstance(step, Reading):
            return False
        (here, item), (there, next_item) = map(self._item, (last, step))
        return here == there and item is not None and next_item == item + 1

    def _item(self, step: Reading) -> tuple[str, int | None]:
        """Which list, and which item of it."""
        place = step.format_path(self._show)
        found = _ITEM.fullmatch(place)
        return (found[1], int(found[2])) if found else (place, None)

    def _reads(self, run: Sequence[TraceStep]) -> str:
        """Items read one after the other, in one line."""
        steps = [step for step in run if isinstance(step, Reading)]
        (place, first), (_, last) = self._item(steps[0]), self._item(steps[-1])
        values = ", ".join(self._show(step.value) for step in steps)
        return f"reads {place}[{first}…{last}] = {_cut(values)}"

    def _step(self, step: TraceStep, indent: str) -> Iterator[str]:
        match step:
            case Reading():
                yield f"{indent}reads {step.format_path(self._show)} = {self._short(step.value)}"
            case Write():
                yield f"{indent}writes {step.format_path(self._show)}: {self._short(step.old)} -> {self._short(step.new)}"
            case LogStep(text=str(text)):
                yield from (f"{indent}| {line}".rstrip() for line in text.split("\n"))
            case LogStep(row=(_, topics, data, *_), event=event):
                raw = f"log [{', '.join(f'{topic:#x}' for topic in topics)}] {self._show(data)}"
                yield f"{indent}emits {raw if event is None else self._show(event)}"
            case Trace():
                yield f"{indent}{self._format_call(step)}{self._format_result(step)}"

    def _format_call(self, message: Trace) -> str:
        """What was sent, in the words of the contract; bytes where it has none."""
        show = self._who.display
        value = f" with {message.value} wei" if message.value else ""
        args = ", ".join(map(self._short, message.args.values()))
        if message.kind == "create":
            what = f"{message.contract}({args})" if message.contract else self._show(message.data)
            return f"deploy {what} as {show(message.address)}{value}"
        whom = self._who.name(message.address) or message.contract or show(message.address)
        if message.kind == "delegate":
            whom = f"{message.contract or show(message.code_address)}"
        asked = f"{whom}.{message.entry.name}({args})" if message.entry else whom
        if message.entry is None and message.data:
            asked += f" {self._show(message.data)}"
        return f"{asked}{value}{_HOW.get(message.kind, '')}"

    def _format_result(self, message: Trace) -> str:
        gas = f" [{message.gas_used} gas]"
        if message.error is not None:
            place = f" at {message.error.place}" if message.error.place else ""
            return f" failed: {message.error.text}{place}{gas}"
        result = message.result
        return gas if result in (None, b"") else f" -> {self._short(result)}{gas}"

    def _short(self, value: Any) -> str:
        return _cut(self._show(value))


def _cut(told: str) -> str:
    return told if len(told) <= _WIDEST else f"{told[:_WIDEST]}…"
