"""Traces: a transaction as the tree of its messages, each with its steps in order and in the terms of its contract.

Python and bytecode share one tree. A step is a value read, a value written, a log, or a nested message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any, Final, TypeAlias

from chain.abi.formatting import ValueFormatter
from chain.foundation.dataclass import dataclass
from chain.foundation.sealed import sealed
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.decoded.writes import Reading, Write
from chain.ledger.known_contracts import Contracts
from chain.ledger.logs import Decoding
from chain.machine.failure import Failure
from chain.machine.state import LogRow
from chain.spec.contracts import EntrySpec
from chain.types import Address

_INDENT: Final = "    "
_WIDEST: Final = 100  # characters of one value
_ITEM: Final = re.compile(r"(.*)\[(\d+)\]")
_HOW: Final = {"static": " static", "delegate": " delegate"}


@sealed
@dataclass(frozen=True, slots=True)
class LogStep:
    """A log as it was emitted, with its text if it is a text log, and its event if that is declared.

    >>> step = receipt.trace.logs[0]
    >>> step.event, step.text, step.address == race.address
    (Moved(player=Address('0xf39F...'), square=4), None, True)
    """

    row: LogRow  # the log as it is stored
    text: str | None  # the text of a text log
    event: Any  # the declared event

    @property
    def address(self) -> Address:
        """The account that emitted it."""
        return Address(self.row[0])


@sealed
@dataclass(frozen=True, slots=True, repr=False)
class Trace:
    """One message: the request, the outcome and the steps. `str()` gives the whole tree below it.

    >>> print(win.trace)
    alice: League.win(5) [... gas]
        reads League.world = World
        reads League.initialized = False
        reads World.homes[League] = 'league'
        reads Score(alice).exists = False
        reads Score(alice).points = 0
        reads World.writers[(0xe99f..., League)] = True
        writes Score(alice).exists: False -> True
        writes Score(alice).points: 0 -> 5
    >>> trace = receipt.trace
    >>> trace.ok, trace.name, trace.result, trace.writes[-1].new, trace.calls
    (True, 'Race.roll', 4, 4, [])
    """

    ledger: Decoding = field(compare=False)  # the ledger of the chain
    kind: str  # "call", "static", "delegate", "create"
    address: Address  # the account that it was sent to
    caller: Address  # the account that sent it
    code_address: Address  # the account whose code ran
    value: int  # the wei that came with it
    data: bytes  # the calldata
    gas: int  # the gas limit of the message
    gas_used: int  # what it cost
    output: bytes  # what it returned, encoded
    error: Failure | None  # why it failed; None if it did not
    contract: str | None  # the name of the contract
    entry: EntrySpec | None  # the description of the entry
    args: dict[str, object]  # the arguments by name
    steps: tuple[TraceStep, ...]  # values read and written, logs and calls, in order

    @property
    def ok(self) -> bool:
        """True if it did not fail."""
        return self.error is None

    @property
    def result(self) -> Any:
        """The return value of the entry; the raw bytes if the contract is not a Python contract."""
        if self.error is not None or self.kind == "create":
            return None
        return self.entry.decode_result(self.output) if self.entry else self.output

    @property
    def calls(self) -> list[Trace]:
        """The messages it sent."""
        return [step for step in self.steps if isinstance(step, Trace)]

    @property
    def reads(self) -> list[Reading]:
        """The values that it read."""
        return [step for step in self.steps if isinstance(step, Reading)]

    @property
    def writes(self) -> list[Write]:
        """The values that it wrote."""
        return [step for step in self.steps if isinstance(step, Write)]

    @property
    def logs(self) -> list[LogStep]:
        """The logs that it emitted."""
        return [step for step in self.steps if isinstance(step, LogStep)]

    @property
    def name(self) -> str:
        """The name of contract and entry, as in `Game.make_move`; the address if there are none."""
        contract = self.contract or str(self.address)
        return f"{contract}.{self.entry.name}" if self.entry else contract

    def walk(self) -> Iterator[Trace]:
        """Yield this message and all those below it, in the order in which they were sent.

        >>> [message.name for message in win.trace.walk()]
        ['League.win']
        """
        pending = [self]
        while pending:
            message = pending.pop()
            yield message
            pending += reversed(message.calls)

    def __str__(self) -> str:
        return "\n".join(TraceFormatter(self.ledger).lines(self))

    def __repr__(self) -> str:
        outcome = "ok" if self.error is None else f"failed: {self.error}"
        return f"<Trace {self.name}: {outcome}, {len(self.steps)} steps>"


TraceStep: TypeAlias = Reading | Write | LogStep | Trace


class TraceFormatter:
    """A formatter that describes messages in lines of text, with accounts and contracts by name."""

    def __init__(self, ledger: Contracts) -> None:
        self._ledger, self._who = ledger, AddressBook(ledger)
        self._show = ValueFormatter(self._who).show

    def lines(self, first: Trace) -> Iterator[str]:
        """Yield the lines of a message and of all those below it. It does not recurse: they may be a thousand deep."""
        yield f"{self._who.display(first.caller)}: {self._format_call(first)}{self._format_result(first)}"
        pending: list[tuple[TraceStep, str]] = [(step, _INDENT) for step in reversed(first.steps)]
        while pending:
            step, indent = pending.pop()
            run: list[TraceStep] = [step] if isinstance(step, Reading) else []
            while run and pending and self._is_next_item(run[-1], pending[-1][0]):
                run.append(pending.pop()[0])
            if len(run) > 1:
                yield f"{indent}{self._reads(run)}"
                continue
            yield from self._step(step, indent)
            if isinstance(step, Trace):
                pending += [(inner, indent + _INDENT) for inner in reversed(step.steps)]

    def _is_next_item(self, last: TraceStep, step: TraceStep) -> bool:
        """True if a step reads the next item of the same list."""
        if not isinstance(last, Reading) or not isinstance(step, Reading):
            return False
        (path, item), (next_path, next_item) = map(self._item, (last, step))
        return path == next_path and item is not None and next_item == item + 1

    def _item(self, step: Reading) -> tuple[str, int | None]:
        """Return the path of a list and the index of the item read; the index is None for any other value."""
        path = step.format_path(self._show)
        match = _ITEM.fullmatch(path)
        return (match[1], int(match[2])) if match else (path, None)

    def _reads(self, run: Sequence[TraceStep]) -> str:
        """Return one line for consecutive items of a list."""
        steps = [step for step in run if isinstance(step, Reading)]
        (path, first), (_, last) = self._item(steps[0]), self._item(steps[-1])
        values = ", ".join(self._show(step.value) for step in steps)
        return f"reads {path}[{first}…{last}] = {_cut(values)}"

    def _step(self, step: TraceStep, indent: str) -> Iterator[str]:
        match step:
            case Reading():
                yield f"{indent}reads {step.format_path(self._show)} = {self._short(step.value)}"
            case Write():
                yield f"{indent}writes {step.format(self._short)}"
            case LogStep(text=str(text)):
                yield from (f"{indent}| {line}".rstrip() for line in text.split("\n"))
            case LogStep(row=(_, topics, data, *_), event=event):
                raw = f"log [{', '.join(f'{topic:#x}' for topic in topics)}] {self._show(data)}"
                yield f"{indent}emits {raw if event is None else self._show(event)}"
            case Trace():
                yield f"{indent}{self._format_call(step)}{self._format_result(step)}"

    def _format_call(self, message: Trace) -> str:
        """Return a message in the terms of its contract; its bytes if it has no entry."""
        show = self._who.display
        value = f" with {message.value} wei" if message.value else ""
        args = ", ".join(map(self._short, message.args.values()))
        if message.kind == "create":
            created = (
                f"{message.contract}({args})" if message.contract else self._show(message.data)
            )
            return f"deploy {created} as {show(message.address)}{value}"
        target = self._who.name(message.address) or message.contract or show(message.address)
        if message.kind == "delegate":
            target = f"{message.contract or show(message.code_address)}"
        call = f"{target}.{message.entry.name}({args})" if message.entry else target
        if message.entry is None and message.data:
            call += f" {self._show(message.data)}"
        return f"{call}{value}{_HOW.get(message.kind, '')}"

    def _format_result(self, message: Trace) -> str:
        gas = f" [{message.gas_used} gas]"
        if message.error is not None:
            location = f" at {message.error.place}" if message.error.place else ""
            return f" failed: {message.error.text}{location}{gas}"
        result = message.result
        return gas if result in (None, b"") else f" -> {self._short(result)}{gas}"

    def _short(self, value: object) -> str:
        return _cut(self._show(value))


def _cut(told: str) -> str:
    return told if len(told) <= _WIDEST else f"{told[:_WIDEST]}…"
