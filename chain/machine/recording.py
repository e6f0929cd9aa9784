"""A machine that records the steps of every message: its reads, writes, logs, account accesses and calls.

It is the usual machine with other frames, used to run a transaction again or to rehearse one. Ordinary frames contain no code
for it, so transactions that are not recorded do not become slower.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from chain.machine.finished_frame import Finished
from chain.machine.frame import Frame
from chain.machine.machine import Machine
from chain.machine.state import LogRow, State


class WordRead(NamedTuple):
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
    """A log was written."""

    row: LogRow


class Touched(NamedTuple):
    """An account was accessed."""

    address: bytes


class CallStep(NamedTuple):
    """A message was sent; `by` names the operation, if its type does not."""

    frame: Frame
    by: str = ""


class Destroyed(NamedTuple):
    """A contract destroyed itself, and sent all its ether to its heir."""

    address: bytes
    heir: bytes
    balance: int


Step: TypeAlias = WordRead | WriteStep | Logged | Touched | CallStep | Destroyed


class RecordingFrame(Frame):
    """A frame that records its steps."""

    __slots__ = ("steps",)

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.steps: list[Step] = []

    def sload(self, slot: int) -> int:
        word = super().sload(slot)
        self.steps.append(WordRead(self.address, slot, word))
        return word

    def read_again(self, words: dict[int, int]) -> bool:
        return False  # each word is read in its order

    def sstore(self, slot: int, word: int) -> None:
        before = self.storage.get(slot, 0)
        super().sstore(slot, word)
        self.steps.append(WriteStep(self.address, slot, before, word))

    def emit(self, topics: tuple[int, ...], data: bytes, event: object = None) -> None:
        super().emit(topics, data, event)
        self.steps.append(Logged(self.state.logs[-1]))

    def touch(self, address: bytes) -> None:
        super().touch(address)
        self.steps.append(Touched(address))

    def at_address(self, address: bytes) -> Frame:
        frame = super().at_address(address)
        assert isinstance(frame, RecordingFrame)
        frame.steps = self.steps
        return frame

    def _run(self, child: Frame, operation: str = "") -> Frame:
        self.steps.append(CallStep(child, operation))
        return super()._run(child, operation)


class FinishedObservedFrame(Finished, RecordingFrame):
    """A recording frame whose contract has run."""

    __slots__ = ()


RecordingFrame.finished = FinishedObservedFrame


class TraceTooLarge(BaseException):
    """The recorded operations exceed the size limit of a trace.

    Not an `Exception`, because it is not an outcome of the message.
    """


class RecordingMachine(Machine):
    """A machine that runs messages in frames that record their steps.

    If `opcodes` is a list, every operation of bytecode is recorded there too.
    """

    frame = RecordingFrame
    executor = "chain.machine.evm.tracing", "RecordingExecutor"

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.opcodes: list[object] | None = None
        self.keeps_memory = False  # True if the memory is recorded with every operation
        self.most_opcodes = 0  # the number of operations to record
        self.room = 0  # bytes left for recorded operations

    def take_room(self, size: int) -> None:
        """Count `size` bytes that are about to be recorded, or raise `TraceTooLarge`."""
        self.room -= size
        if self.room < 0:
            raise TraceTooLarge


def steps_of(frame: Frame) -> list[Step]:
    """Return the recorded steps of a frame; none for an ordinary frame."""
    return frame.steps if isinstance(frame, RecordingFrame) else []
