"""One running message, and the gas that it pays.

A contract's code acts through its frame: storage words, logs and calls are charged by the gas schedule and written to the
journal of the state, so that a failed message leaves no changes behind. `TransactionContext` holds what all frames of one
transaction share.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from itertools import repeat
from typing import Any, ClassVar, Protocol

from chain.crypto.hashing import checksum_address, create2_address, create_address
from chain.errors import OutOfGas, Revert
from chain.foundation.watchdog import Limits
from chain.machine import gas as cost
from chain.machine.block_context import BlockContext
from chain.machine.failure import Failure
from chain.machine.finished_frame import Finished
from chain.machine.forced_random import ForcedRandom
from chain.machine.gas import (
    COLD_ACCOUNT,
    COLD_SLOAD,
    LOG,
    LOG_BYTE,
    LOG_TOPIC,
    REFUND_CLEAR,
    SSTORE_RESET,
    SSTORE_SENTRY,
    SSTORE_SET,
    WARM,
)
from chain.machine.state import NO_ACCOUNT, Changes, LogRow, Mark, State
from chain.metering.fuel import Budget, MeteredMessage
from chain.metering.program import Program
from chain.storage.fields import FieldsLayout
from chain.storage.read_only import ReadOnlyStorage
from chain.storage.unit_of_work import Line, UnitOfWork

NO_CODE = b""  # in place of the address of a lender that is a precompiled contract


class Executor(Protocol):
    """The part of the machine that frames use: it runs messages and knows the declared programs."""

    state: State
    limits: Limits

    def program(self, digest: bytes) -> Program | None: ...
    def execute(self, frame: Frame) -> None: ...
    def declare(self, program: Program) -> Program: ...
    def program_at(self, address: bytes) -> Program | None: ...
    def block_hash(self, number: int, /) -> bytes: ...


class TransactionContext(Budget):
    """The state that the frames of one transaction share."""

    __slots__ = (
        "blob_versioned_hashes", "block", "evm", "forced_random", "gas_price", "machine", "nonce", "open_models", "origin",
        "random_streams", "reentrancy_locks", "refund", "undone_changes", "undone_logs", "works",
    )  # fmt: skip

    def __init__(
        self, machine: Executor, block: BlockContext, origin: bytes, nonce: int, gas_price: int,
        blob_versioned_hashes: tuple[bytes, ...] = (), forced_random: ForcedRandom | None = None, fuel: int = 10_000_000,
    ) -> None:  # fmt: skip
        self.machine = machine
        self.block = block
        self.origin = origin
        self.nonce = nonce
        self.gas_price = gas_price
        self.blob_versioned_hashes = blob_versioned_hashes
        self.refund = 0
        self.random_streams = 0  # number of random streams opened so far
        self.reentrancy_locks: tuple[bytes, ...] = ()  # contracts inside a guarded call
        self.undone_changes: Changes = ()
        self.undone_logs: Sequence[LogRow] = ()
        # In edit, by world and slot.
        self.open_models: frozenset[tuple[bytes, int]] = frozenset()
        self.works: dict[Any, Any] = {}  # the units of work, by address and layout
        self.forced_random = forced_random  # the random outcomes that a test forces
        self.fuel = fuel  # ticks that Python contracts may still use
        self.ticks = 0  # ticks that they used
        self.metering_depth = 0  # number of nested Python contracts that run now
        # py-evm's view of the transaction, set by the first message that needs it.
        self.evm: Any = None

    def undo_message(self, mark: Mark, refund: int) -> None:
        """Undo a failed message; keep its changes and logs for the receipt.

        `mark` and `refund` are those from before the message.
        """
        self.refund = refund
        changes, logs = self.machine.state.undo(mark)
        self.undone_changes = (*self.undone_changes, *changes)
        self.undone_logs = (*self.undone_logs, *logs)


class Frame(MeteredMessage):
    """One message: its request (`address` … `static`) and its progress (`gas`, `output`, `failure`)."""

    __slots__ = (
        "address", "besides", "caller", "children", "code_address", "data", "depth", "entry", "failure",
        "gas_limit", "kind", "output", "program", "result", "state", "static", "storage", "value", "view_logs",
        "warm", "work",
    )  # fmt: skip

    finished: ClassVar[Any] = None  # the class that a frame changes to when its contract has run

    def __init__(
        self, context: TransactionContext, kind: str, address: bytes, caller: bytes, value: int, data: bytes, gas: int,
        static: bool = False, depth: int = 0, code_address: bytes | None = None,
    ) -> None:  # fmt: skip
        self.context: TransactionContext = context
        self.state = state = context.machine.state
        self.kind = kind  # "call", "static", "delegate" or "create"; "fields" if storage is read without a message
        self.address = address
        self.code_address = address if code_address is None else code_address
        self.caller = caller
        self.value = value
        self.data = data
        self.gas = self.gas_limit = gas
        self.ticks = 0  # fuel used by its own code and by the messages it sent
        self.static = static
        self.depth = depth
        self.storage: MutableMapping[int, int] = state.storages[address]
        self.warm: dict[int, int] = state.access[address]
        self.output = b""
        self.result: Any = None  # the value that a Python entry returned, before encoding
        self.failure: Failure | None = None
        self.program: Program | None = None
        self.entry: Any = None
        self.children: list[Frame] = []
        self.besides: tuple[Frame, ...] = ()  # frames of the same message, see `at_address`
        self.view_logs: list[str] = []  # text logs of views, which no receipt keeps
        self.work: Any = None  # the unit of work of its contract, once that reads a field which can change in place

    def charge(self, gas: int) -> None:
        """Take `gas` from the gas left, or raise `OutOfGas`."""
        self.gas -= gas
        if self.gas < 0:
            raise OutOfGas

    def charge_code(self, code: bytes) -> None:
        """Pay for storing the code of a new contract."""
        self.charge(cost.CODE_BYTE * len(code))

    def finish(self) -> None:
        """Detach from the state, so that objects left over from the contract can no longer act through this frame."""
        self.__class__ = self.finished
        if self.besides:
            for frame in self.besides:
                frame.__class__ = frame.finished

    # Storage

    def sload(self, slot: int) -> int:
        """Read and pay for a word of storage."""
        warm, word = self.warm, self.storage.get(slot, 0)
        if slot in warm:
            self.gas = gas = self.gas - WARM
        else:
            self.gas = gas = self.gas - COLD_SLOAD
            warm[slot] = word
            # The transaction ends with its first message, and no message after it reads what is warm.
            if self.depth:
                self.state.access_journal.append((warm, slot))
        if gas < 0:
            raise OutOfGas
        return word

    def read_again(self, words: dict[int, int]) -> bool:
        """Read and pay for these words if they are still stored; return False otherwise."""
        if [*map(self.storage.get, words, repeat(0))] != [*words.values()]:
            return False
        if self.depth or not self.warm.keys().isdisjoint(words):
            for slot in words:
                self.sload(slot)
        else:
            self.warm.update(words)
            self.charge(COLD_SLOAD * len(words))
        return True

    def peek(self, slot: int) -> int:
        """Return a word of storage that was paid for."""
        return self.storage.get(slot, 0)

    @property
    def unpaid(self) -> ReadOnlyStorage:
        """The words of this storage, to be read without paying."""
        return ReadOnlyStorage(self.state.slots, self.storage)

    def sstore(self, slot: int, word: int) -> None:
        """Write and pay for a word of storage."""
        if self.static:
            raise self.refusal("write")
        gas = self.gas
        if gas <= SSTORE_SENTRY:
            raise OutOfGas
        storage, warm = self.storage, self.warm
        current = storage.get(slot, 0)
        if slot not in warm:
            gas -= COLD_SLOAD
            warm[slot] = current
            if self.depth:
                self.state.access_journal.append((warm, slot))
        if word == current:
            gas -= WARM
        elif current and word and warm[slot] == current:  # the most frequent change
            gas -= SSTORE_RESET
        else:
            gas -= self._price_of_change(warm[slot], current, word)
        self.gas = gas
        if gas < 0:
            raise OutOfGas
        if word == current:
            return
        state = self.state
        state.changes += self.address, slot, current or None, word or None
        if word:
            storage[slot] = word
        else:
            del storage[slot]

    def _price_of_change(self, original: int, current: int, word: int) -> int:
        """Return the gas for changing a word, and adjust the refund (EIP-2200 with the figures of EIP-3529).

        The first change of a word in a transaction pays in full; later ones pay little and correct the refund.
        """
        context = self.context
        if original == current:
            if original == 0:
                return SSTORE_SET
            if word == 0:
                context.refund += REFUND_CLEAR
            return SSTORE_RESET
        if original:
            if current == 0:
                context.refund -= REFUND_CLEAR
            elif word == 0:
                context.refund += REFUND_CLEAR
        if word == original:
            context.refund += (SSTORE_RESET if original else SSTORE_SET) - WARM
        return WARM

    def data_slot(self, slot: int) -> int:
        """Return the first slot of the content of the list or text at `slot`."""
        slots = self.state.slots
        known = slots.contents.get(slot)
        return slots.content_slot(slot) if known is None else known

    def map_slot(self, slot: int, key: bytes) -> int:
        """Return the slot of the value for `key` in the map at `slot`."""
        slots = self.state.slots
        known = slots.mapped.get((slot, key))
        return slots.map_slot(slot, key) if known is None else known

    def nested_slot(self, slot: int, outer: bytes, inner: bytes) -> int:
        """Return the slot of the value for `inner` in the map for `outer` in the map at `slot`."""
        return self.state.slots.nested_slot(slot, outer, inner)

    def unit_of_work(self, layout: FieldsLayout) -> UnitOfWork:
        """Return the unit of work that the message shares with those around it of the same contract."""
        work: UnitOfWork | None = self.work
        if work is None:
            works, key = self.context.works, (self.address, layout)
            work = self.work = works.get(key)
            if work is None:
                work = self.work = works[key] = UnitOfWork(self, layout)
            else:
                work.enter(self)
        return work

    def line_of(self, problem: BaseException) -> Line | None:
        """Return the line that last took or assigned what could not be written, if that is the problem."""
        work: UnitOfWork | None = self.work
        return work.line if work is not None and work.broken is problem else None

    def flush(self) -> None:
        """Write what changed in the unit of work."""
        if self.work is not None:
            self.work.flush()
        for frame in self.besides:
            frame.flush()

    def end_work(self, has_failed: bool = False) -> None:
        """Write what changed in the unit of work, unless the message failed, and leave it."""
        if not has_failed:
            self.flush()
        for frame in self.besides:
            frame.end_work(has_failed=True)
        if self.work is not None and self.work.leave():
            del self.context.works[self.address, self.work.layout]

    # Logs

    def emit(self, topics: tuple[int, ...], data: bytes, event: object = None) -> None:
        """Write a log. `event` is given only if it cannot be decoded from the bytes: a text topic is a hash."""
        if self.static:
            raise self.refusal("emit")
        self.gas -= LOG + LOG_TOPIC * len(topics) + LOG_BYTE * len(data)
        if self.gas < 0:
            raise OutOfGas
        program = self.program
        digest = None if program is None else program.digest
        self.state.logs.append((self.address, topics, data, event, digest))

    def note(self, text: str) -> None:
        """Record a text log of a view for its caller."""
        self.view_logs.append(text)

    # Other accounts

    def touch(self, address: bytes) -> None:
        """Pay for access to an account (EIP-2929)."""
        cold = (
            self.state.warm_address(address) and address not in self.context.block.fork.precompiles
        )
        self.charge(COLD_ACCOUNT if cold else WARM)

    def balance_of(self, address: bytes) -> int:
        """Read and pay for the balance of an account."""
        self.touch(address)
        return self.state.account(address)[1]

    def call(
        self, to: bytes, data: bytes, value: int = 0, gas: int | None = None, static: bool = False
    ) -> Frame:
        """Send a message and run it. The returned child holds the outcome; its unused gas is already added back here."""
        if value and self.static:
            raise self.refusal("send value")
        self.flush()
        self.touch(to)
        if value:
            self.charge(cost.CALL_VALUE + (0 if self._is_alive(to) else cost.NEW_ACCOUNT))
        lender = self._lender(to)
        passed = cost.all_but_one_64th(self.gas)
        passed = passed if gas is None else min(gas, passed)
        self.gas -= passed
        child = type(self)(
            self.context, "static" if static else "call", to, self.address, value, data,
            passed + (cost.CALL_STIPEND if value else 0), static or self.static, self.depth + 1, lender,
        )  # fmt: skip
        return self._run(child)

    def create(self, initcode: bytes, value: int = 0, salt: bytes | None = None) -> Frame:
        """Create a contract from `initcode`. The child's address is that of the new contract.

        With `salt`, 32 bytes, the address depends on it and the code, and not on what was created before (CREATE2).
        """
        if self.static:
            raise self.refusal("deploy")
        self.flush()
        if len(initcode) > self.context.block.fork.max_initcode:
            raise OutOfGas
        word_price = cost.INITCODE_WORD if salt is None else cost.INITCODE_WORD + cost.KECCAK_WORD
        self.charge(cost.CREATE + word_price * cost.word_count(len(initcode)))
        passed = cost.all_but_one_64th(self.gas)
        nonce, balance, code_hash = self.state.account(self.address)
        address = create_address(self.address, nonce)
        if salt is not None:
            address = create2_address(self.address, salt, initcode)
        self.gas -= passed
        child_depth = self.depth + 1
        if balance >= value and child_depth <= cost.MAX_DEPTH:
            self.state.set_account(self.address, (nonce + 1, balance, code_hash))
        self.state.warm_address(address)
        child = type(self)(
            self.context, "create", address, self.address, value, initcode, passed, False, child_depth
        )  # fmt: skip
        return self._run(child, "" if salt is None else "CREATE2")

    def at_address(self, address: bytes) -> Frame:
        """Return a second frame of the same message that uses the storage of another account."""
        frame = type(self)(
            self.context, self.kind, address, self.caller, 0, b"", self.gas, self.static, self.depth
        )
        frame.program, frame.entry = self.program, self.entry
        self.besides += (frame,)
        return frame

    def _run(self, child: Frame, operation: str = "") -> Frame:
        """Run a message below this one and take back its unused gas. `operation` names it, if the call type does not."""
        self.children.append(child)
        self.context.machine.execute(child)
        self.gas += child.gas
        return child

    def _is_alive(self, address: bytes) -> bool:
        return self.state.account(address) != NO_ACCOUNT

    def _lender(self, to: bytes) -> bytes | None:
        """Return the address whose code runs for `to`, if that is another one, and pay for access to it."""
        lender = self.state.lender(to)
        if lender is None:
            return None
        self.touch(lender)
        return lendable(lender, self.context.block)

    def refusal(self, what: str) -> Exception:
        """Return the error for something that a static message must not do; `what` names it."""
        if self.kind == "fields":
            return AttributeError(
                f"storage of {self.name} cannot be changed through its fields: call an entry that changes it;"
                " in a test write 'with chain.setting():' around it"
            )
        return Revert(f"{self.name} is a view and cannot {what}")

    @property
    def name(self) -> str:
        """The name for error texts: `Contract.entry`, or as much of it as is known."""
        contract = self.program.spec.name if self.program else checksum_address(self.address)
        return f"{contract}.{self.entry.name}" if self.entry else contract


def lendable(lender: bytes, block: BlockContext) -> bytes:
    """Return the address of the code that an account lends: that of a precompiled contract cannot be lent (EIP-7702)."""
    return NO_CODE if lender in block.fork.precompiles else lender


class RunningFrame(Frame):
    """The usual frame, until its contract has run."""

    __slots__ = ()


class FinishedFrame(Finished, RunningFrame):
    """A frame whose contract has run."""

    __slots__ = ()


RunningFrame.finished = FinishedFrame
