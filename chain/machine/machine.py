"""The state transition: a transaction from nonce to fee, and each of its messages, by the rules of the fork of the block.

The code of a message is a Python contract, bytecode or a precompiled contract, which py-evm runs, or none.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from chain.crypto.hashing import checksum_address, create_address, keccak
from chain.errors import (
    FatalHalt,
    InvalidTransaction,
    LimitExceeded,
    UndeclaredContract,
    UnknownCode,
)
from chain.foundation.watchdog import UNLIMITED, Limits, uninterrupted, watch
from chain.machine import gas as cost
from chain.machine.block_context import BlockContext
from chain.machine.deep_calls import THREAD_DEPTHS, run_on_new_thread
from chain.machine.dispatch import RejectedCall, run_call, run_constructor
from chain.machine.failure import Failure
from chain.machine.failure_from_exception import failure_from_exception
from chain.machine.frame import Frame, RunningFrame, TransactionContext, lendable
from chain.machine.limits import limits_of
from chain.machine.state import ACCOUNT, EMPTY_CODE_HASH, NO_ACCOUNT, START, Mark, State
from chain.machine.transaction import ADDED, NONE_ADDED, Transaction, TransactionResult
from chain.machine.validation import validate
from chain.metering.fuel import GAS_PER_TICK
from chain.metering.program import Program, parse_code, parse_initcode
from chain.spec.contracts import UPGRADE, ContractSpec


class _UndeclaredContract:
    """Placeholder class for a contract whose own class is unknown, so that it can be upgraded."""

    __slots__ = ("_frame", "_random")

    def may_upgrade(self) -> bool:
        return True


_ANY_CONTRACT = ContractSpec(_UndeclaredContract, {}, None, None, [])


class Programs(dict[bytes, Program]):
    """The contracts that are declared on a chain, by digest."""

    def __init__(self) -> None:
        super().__init__()
        # Finds the contract with a digest that is not declared: it is declared when a message reaches it.
        self.find_offered: Callable[[bytes], Program | None] | None = None
        # Those that run from what a file keeps of them. Outside of messages, their artifacts stand for them.
        self.kept: dict[bytes, Program] = {}
        self.reasons: dict[bytes, str] = {}  # why a contract that was deployed does not run here

    def running(self, digest: bytes) -> Program | None:
        """Return the contract with that digest if it can run."""
        return self.get(digest) or self.kept.get(digest)

    def find_as(self, other: Programs) -> None:
        """Find contracts as another machine does."""
        self.find_offered, self.reasons = other.find_offered, other.reasons
        self.kept |= other.kept


class Machine:
    """The machine that runs transactions on a state."""

    # The class of a transaction's first frame, and so of all others.
    frame: type[Frame] = RunningFrame
    # Module and name of the executor of bytecode. It is imported on first use, because the import takes most of a second.
    executor = "chain.machine.evm.executor", "PyEvmExecutor"

    def __init__(self, state: State, *, guards: bool = True) -> None:
        self.state = state
        self.guards = guards  # True if the guard checks a contract before it is declared
        self.debugs = False  # True if debug statements of contracts run
        self.limits = UNLIMITED  # of a message, see `chain.foundation.watchdog`
        self.programs = Programs()  # by digest
        self._by_code: dict[bytes, Program] = {}  # by the hash of the code
        self._evm: object = None
        self.loaded: Any = None
        self.mocks: Any = ()  # the results of mocked entries: see `chain.simulator.mocking`
        self.block_hash: Callable[[int], bytes] = _no_hash  # by block number, for bytecode

    def with_state(self, state: State) -> Machine:
        """Return a machine with the same programs that runs on another state."""
        machine = Machine(state, guards=self.guards)
        machine.debugs, machine.limits = self.debugs, self.limits
        machine.programs |= self.programs
        machine.programs.find_as(self.programs)
        machine._by_code |= self._by_code
        machine.block_hash = self.block_hash
        return machine

    def debug(self) -> None:
        """Let the debug statements of contracts run on this machine."""
        import_module("chain.machine.debugging").enable()
        self.debugs = True

    def limit(self, limits: Limits) -> None:
        """Set the limits of a message."""
        self.limits = limits
        watch(limits, limits_of)

    def declare(self, program: Program) -> Program:
        """Register a contract class, so that its code can be deployed and run."""
        self._by_code[keccak(program.code)] = program
        known = self.programs.kept if program.is_kept else self.programs
        known[program.digest] = program
        return program

    def program_at(self, address: bytes) -> Program | None:
        """Return the Python contract deployed at `address`, or None."""
        code_hash = self.state.accounts.get(address, NO_ACCOUNT)[2]
        return self._by_code.get(code_hash) or self._offered_at(address)

    def _offered_at(self, address: bytes) -> Program | None:
        """Declare the class of the contract at `address` if it is offered, and return its program."""
        if self.programs.find_offered is None:
            return None
        digest = parse_code(self.state.code(address))
        return None if digest is None else self.program(digest)

    def program(self, digest: bytes) -> Program | None:
        """Return the Python contract with that digest, and declare it if it is only offered so far."""
        program = self.programs.running(digest)
        if program is None and self.programs.find_offered is not None:
            program = self.programs.find_offered(digest)
            if program is not None:
                self.declare(program)
        return program

    @property
    def evm(self) -> Any:
        """The executor of bytecode."""
        if self._evm is None:
            module, name = self.executor
            self._evm = getattr(uninterrupted(import_module, module), name)()
        return self._evm

    # One transaction

    def transact(self, tx: Transaction, block: BlockContext) -> TransactionResult:
        """Run `tx` in `block`, or raise `InvalidTransaction` and change nothing."""
        state = self.state
        sender, to, data, value, gas, _, max_fee, tip, tx_type, access_list, _, _, _ = tx
        added = self.evm.added_fields(tx) if tx_type in ADDED else NONE_ADDED
        before = state.accounts.get(sender)
        nonce, balance, code_hash = account = before or NO_ACCOUNT
        intrinsic, floor = validate(tx, block, state, account, added)
        base_fee, coinbase = block.base_fee, block.coinbase
        price = max_fee if max_fee < base_fee + tip else base_fee + tip
        fee = gas * price
        if added.blob_hashes:
            fee += cost.PER_BLOB * len(added.blob_hashes) * block.blob_base_fee
        prepaid = nonce + 1, balance - fee, code_hash
        state.changes += (sender, ACCOUNT, before, prepaid)
        state.accounts[sender] = prepaid
        state.access = {sender: {}, coinbase: {}}
        for address, slots in access_list:
            state.warm_address(address)
            for slot in slots:
                state.touch_slot(address, slot)
        message_gas = gas - intrinsic
        context = TransactionContext(
            self, block, sender, nonce, price, added.blob_hashes, self.loaded, message_gas // GAS_PER_TICK
        )  # fmt: skip
        try:
            if added.authorizations:
                context.refund = self.evm.lend_code(context, added)
            frame = self.first_frame(context, to, value, data, message_gas)
            self.execute(frame)
        except BaseException:  # an interrupt, not a failure of the contract
            state.undo(START)
            state.close()
            raise
        used = gas - frame.gas
        if context.refund:
            used -= min(context.refund, used // cost.REFUND_SHARE)
        if used < floor:
            used = floor
        state.refund_fee(sender, prepaid, (gas - used) * price)
        if price > base_fee:
            state.add_balance(coinbase, used * (price - base_fee))
        if context.evm is not None:
            context.evm.delete_doomed()
            context.evm = None  # it refers to the context: a cycle would be work for the collector
        changes, logs = state.close()
        return TransactionResult(frame, context, used, price, changes, logs)

    def first_frame(
        self, context: TransactionContext, to: bytes | None, value: int, data: bytes, gas: int
    ) -> Frame:
        """Return the frame of the first message of a transaction, which creates a contract if it has no recipient."""
        state, sender = self.state, context.origin
        if to is None:
            address = create_address(sender, context.nonce)
            state.access.setdefault(address, {})
            return self.frame(context, "create", address, sender, value, data, gas)
        state.access.setdefault(to, {})
        lender = None
        if state.accounts.get(to, NO_ACCOUNT)[2] not in self._by_code:
            lender = state.lender(to)
        if lender is not None:
            state.warm_address(lender)
            lender = lendable(lender, context.block)
        return self.frame(context, "call", to, sender, value, data, gas, False, 0, lender)

    # One message

    def execute(self, frame: Frame) -> None:
        """Run one message to its end. A failed message changes nothing in the state; `frame.failure` records it."""
        state, context = self.state, frame.context
        mark = len(state.changes), len(state.access_journal), len(state.logs)
        refund, depth = context.refund, frame.depth
        try:
            if frame.value and frame.kind != "delegate":
                self._transfer(frame)
            if depth in THREAD_DEPTHS:
                run_on_new_thread(self._run, frame)
            elif depth > cost.MAX_DEPTH:
                raise RejectedCall(f"calls are nested deeper than {cost.MAX_DEPTH}")
            else:
                self._run(frame)
        except BaseException as error:
            self.fail(frame, context, error, mark, refund)
        else:
            if frame.failure is not None:  # of bytecode
                self._undo(frame, context, frame.failure, mark, refund)

    def fail(
        self, frame: Frame, context: TransactionContext, error: BaseException, mark: Mark, refund: int
    ) -> None:  # fmt: skip
        """Record that a message failed with `error`, and undo it to `mark`. Raise again what is not an outcome of a message."""
        if isinstance(
            error, MemoryError | OSError | LimitExceeded
        ):  # of the host, not of the message
            raise error
        if isinstance(error, Exception | FatalHalt):
            self._undo(frame, context, failure_from_exception(frame, error), mark, refund)
            return
        self.state.undo(mark)
        if isinstance(error, UndeclaredContract) and not frame.depth:
            raise InvalidTransaction(str(error)) from None
        raise error

    def _undo(
        self, frame: Frame, context: TransactionContext, failure: Failure, mark: Mark, refund: int
    ) -> None:  # fmt: skip
        """Undo a failed message; its output becomes the revert data of its failure."""
        frame.failure, frame.output, frame.result = failure, failure.data, None
        context.undo_message(mark, refund)

    def _transfer(self, frame: Frame) -> None:
        """Move the value of a message from its caller to its address."""
        state, caller, value = self.state, frame.caller, frame.value
        balance = state.account(caller)[1]
        if balance < value:
            raise RejectedCall(
                f"{checksum_address(caller)} has {balance} wei and cannot send {value}"
            )
        state.add_balance(caller, -value)
        state.add_balance(frame.address, value)

    def _run(self, frame: Frame) -> None:
        """Run the code that a message is sent to: a Python contract, bytecode, a precompile, or none."""
        if frame.kind == "create":
            self._create(frame)
            return
        address = frame.code_address
        code_hash = self.state.accounts.get(address, NO_ACCOUNT)[2]
        program = self._by_code.get(code_hash)
        if program is None and code_hash != EMPTY_CODE_HASH:
            program = self._offered_at(address) or self.undeclared_at(address, frame.data)
        if program is not None:
            run_call(frame, program)
        elif code_hash != EMPTY_CODE_HASH or address in frame.context.block.fork.precompiles:
            self.require_declared(address)
            self.evm.run(frame)

    def undeclared_at(self, address: bytes, data: bytes) -> Program | None:
        """Return a placeholder program for a contract whose class is not declared here, if `data` upgrades it.

        Such a contract accepts nothing else. Return None in any other case.
        """
        digest = parse_code(self.state.code(address)) if data[:4] == UPGRADE.selector else None
        if not digest or self.program(digest) is not None:
            return None
        return Program(_ANY_CONTRACT, digest)

    def require_declared(self, address: bytes) -> None:
        """Refuse to run a Python contract whose class is not declared here."""
        digest = parse_code(self.state.code(address))
        if digest:
            raise UndeclaredContract(checksum_address(address), self.programs.reasons.get(digest))

    def _create(self, frame: Frame) -> None:
        """Run a message that creates a contract."""
        state, address = self.state, frame.address
        _, balance, code_hash = state.account(address)
        if state.is_taken(address):
            frame.gas = 0
            raise RejectedCall(f"there already is a contract at {checksum_address(address)}")
        state.set_account(address, (1, balance, code_hash))
        parsed = parse_initcode(frame.data)
        if parsed is None:
            self.evm.run(frame)
        else:
            self._run_init_code(frame, *parsed)
        if frame.failure is None and frame.output:
            frame.charge_code(frame.output)
            state.set_code(address, frame.output)

    def _run_init_code(self, frame: Frame, digest: bytes, args: bytes) -> None:
        """Run the init code of a Python contract; the output is the code to be stored."""
        program = self.program(digest)
        if program is None:
            raise UnknownCode(digest)
        run_constructor(frame, program, args)


def _no_hash(number: int) -> bytes:
    return bytes(32)
