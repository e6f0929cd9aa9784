"""A machine that notes what every message does, step by step: what it reads, writes, logs, looks at and sends.

It is the machine with other frames, used to run a transaction again or to rehearse one. The frames that transactions run
in otherwise know nothing of it, so nobody pays for it who does not look.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

from chain.machine.executor import Machine
from chain.machine.finished_frame import Finished
from chain.machine.frame import Frame
from chain.machine.state import LogRow, State
from chain.metering.watchdog import uninterrupted


class Read(NamedTuple):
    """A word was read."""

    address: bytes
    slot: int
    word: int


class WriteStep(NamedTuple):
    """A word was written; `before` and `after` may be the same."""

    address: bytes
    slot: int
    before: int
    after: int


class Logged(NamedTuple):
    row: LogRow


class Touched(NamedTuple):
    """An account was looked at."""

    address: bytes


class CallStep(NamedTuple):
    """A message was sent; by which operation, where it was bytecode."""

    frame: Frame
    by: str = ""


Step: TypeAlias = Read | WriteStep | Logged | Touched | CallStep


class RecordingFrame(Frame):
    """A frame that notes its steps."""

    __slots__ = ("steps",)

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.steps: list[Step] = []

    def sload(self, slot: int) -> int:
        word = super().sload(slot)
        self.steps.append(Read(self.address, slot, word))
        return word

    def read_if_unchanged(self, words: dict[int, int]) -> bool:
        if not self.storage_matches(words):
            return False
        for slot in words:
            self.sload(slot)
        return True

    def sstore(self, slot: int, word: int) -> None:
        before = self.storage.get(slot, 0)
        super().sstore(slot, word)
        self.steps.append(WriteStep(self.address, slot, before, word))

    def emit(self, topics: tuple[int, ...], data: bytes, event: Any = None) -> None:
        super().emit(topics, data, event)
        self.steps.append(Logged(self.state.logs[-1]))

    def touch(self, address: bytes) -> None:
        super().touch(address)
        self.steps.append(Touched(address))

    def at_address(self, address: bytes) -> Frame:
        made = super().at_address(address)
        assert isinstance(made, RecordingFrame)
        made.steps = self.steps
        return made

    def _run(self, child: Frame) -> Frame:
        self.steps.append(CallStep(child))
        return super()._run(child)


class FinishedObservedFrame(Finished, RecordingFrame):
    __slots__ = ()


RecordingFrame.finished = FinishedObservedFrame


class TraceTooLarge(BaseException):
    """The operations take more bytes than one trace may. Not an `Exception`: it is no outcome of the message."""


class RecordingMachine(Machine):
    """Runs messages in frames that note their steps; with `opcodes` also every operation of bytecode, into that list."""

    frame = RecordingFrame

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.opcodes: list[Any] | None = None
        self.keeps_memory = False  # with every operation
        self.most_opcodes = 0  # that are noted
        self.room = 0  # bytes that those noted may still take

    def take_room(self, size: int) -> None:
        """Count what is about to be noted."""
        self.room -= size
        if self.room < 0:
            raise TraceTooLarge

    @property
    def evm(self) -> Any:
        if self._evm is None:
            with uninterrupted():
                self._evm = import_module("chain.machine.evm.opcode_recording").ObservedEvm(self)
        return self._evm


def steps_of(frame: Frame) -> list[Step]:
    return frame.steps if isinstance(frame, RecordingFrame) else []
