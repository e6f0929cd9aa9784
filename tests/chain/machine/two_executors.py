"""Two chains that get the same transactions: one runs them directly, the other through py-evm."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from chain import (
    Address,
    Chain,
    Contract,
    InvalidTransaction,
    Key,
    Map,
    Revert,
    call,
    error,
    event,
    init,
    view,
)  # fmt: skip
from chain.ledger.blocks import change_block
from chain.ledger.calls import CallRecord
from chain.ledger.receipts import Receipt
from chain.machine.failure import Failure
from chain.machine.state import ACCOUNT, Changes, iter_changes
from chain.machine.transaction import Transaction
from chain.types import u8, u64, u256
from tests.chain.helpers import Code

COINBASE = Address(b"\xc0" * 20)


NOBODY = Address(b"\x0b" * 20)


IDENTITY = Address(bytes(19) + b"\x04")


WHERE = (NOBODY, COINBASE, IDENTITY)  # the accounts that scripts pay


@event
class Done:
    step: Key[u64]
    value: u256


@error
class Refused(Revert):
    step: u64


@dataclass(frozen=True)
class Step:
    """One operation of a `Script`: a verb and two numbers."""

    verb: u8
    a: u256 = 0
    b: u256 = 0


PUT, READ, EMIT, LOG, PAY, LOOK, MAKE, DRAW, REVERT, REFUSE, CRASH, CALL, TRY = range(13)


class Script(Contract):
    """Does the given steps, some of them through partners."""

    words: Map[u256, u256]
    partners: Map[u256, Address]

    @init
    def begin(self, word: u256) -> None:
        self.words[0] = word
        if word == 3:
            raise Revert("Three")
        if word == 4:
            raise ValueError("four")

    @call(nonreentrant=False)
    def meet(self, partners: list[Address]) -> None:
        for i, partner in enumerate(partners):
            self.partners[i] = partner

    @call(payable=True, nonreentrant=False)
    def play(self, steps: list[Step]) -> u256:
        total = 0
        while steps:
            step = steps.pop(0)
            if step.verb in (CALL, TRY):
                inner, steps = steps[: step.a], steps[step.a :]
                total += self.pass_on(step, inner)
            else:
                total += self.do(step)
        return total % 2**256

    @call(payable=True)
    def guarded(self, steps: list[Step]) -> u256:
        return self.play(steps)

    @view
    def peek(self, slot: u256) -> u256:
        self.log("looked")
        return self.words[slot]

    def pass_on(self, step: Step, inner: list[Step]) -> int:
        """Let a partner do some steps: `b` says which, and how much money it gets."""
        value, who = divmod(step.b, 5)
        partner = self.at(Script, self.partners[who], value=value % 3)
        try:
            return partner.guarded(inner) if who == 1 else partner.play(inner)
        except Revert:
            if step.verb == CALL:
                raise
            return 1

    def do(self, step: Step) -> int:
        match step.verb:
            case 0:
                self.words[step.a] = step.b
            case 1:
                return self.words[step.a]
            case 2:
                self.emit(Done(step.a, step.b))
            case 3:
                self.log("x" * step.a)
            case 4:
                self.transfer(WHERE[step.a % 3], step.b)
            case 5:
                return self.balance + self.at(Script, self.partners[0]).peek(step.a)
            case 6:
                self.partners[step.a] = self.deploy(Script, step.b)
            case 7:
                return self.random.below(1 + step.b)
            case 8:
                raise Revert("Enough")
            case 9:
                raise Refused(step.a)
            case 10:
                [].pop(step.a)
        return 0


def data_of(entry: str, *args: Any) -> bytes:
    return Script.__spec__.entries[entry].encode_args(args, {})


class ExecutorPair:
    """Two chains that get the same transactions. Their results are compared."""

    def __init__(self) -> None:
        self.chains = Chain(), Chain(evm_only=True)
        for chain in self.chains:
            chain.declare(Script)
        self.first = self.chains[0].accounts[0]

    def send(
        self,
        to: Address | None,
        data: bytes = b"",
        *,
        sender: Address | None = None,
        value: int = 0,
        gas: int = 3_000_000,
        fee: int = 0,
        tip: int = 0,
        type: int = 2,
        access_list: tuple[tuple[bytes, tuple[int, ...]], ...] = (),
    ) -> Receipt | InvalidTransaction:
        """Send one transaction to both chains."""

        def receipt_of(chain: Chain) -> Receipt | InvalidTransaction:
            who = sender or self.first
            tx = Transaction(
                bytes(who), to and bytes(to), data, value, gas, chain.nonce(who), chain.head.base_fee + fee, tip, type,
                access_list,
            )  # fmt: skip
            with chain.block() as block:
                change_block(block, coinbase=bytes(COINBASE))
                try:
                    return chain.send_transaction(tx)
                except InvalidTransaction as refusal:
                    return refusal

        receipts = [receipt_of(chain) for chain in self.chains]
        ours, law = map(receipt_record, receipts)
        assert ours == law
        assert world_state(self.chains[0]) == world_state(self.chains[1])
        return receipts[0]

    def deploy(self, word: int = 0, **options: Any) -> Receipt | InvalidTransaction:
        program, init = self.chains[0].declare(Script), Script.__spec__.init
        assert init is not None
        data = program.initcode + init.encode_args((word,), {})
        return self.send(None, data, **options)

    def play(self, to: Address, *steps: Step, **options: Any) -> Receipt | InvalidTransaction:
        return self.send(to, data_of("play", list(steps)), **options)

    def words_of(self, script: Address, keys: list[int]) -> tuple[bytes, tuple[int, ...]]:
        """An access list's item for some words of a script."""
        mapped = self.chains[0].state.slots.map_slot
        return bytes(script), tuple(mapped(0, key.to_bytes(32)) for key in keys)

    @contextmanager
    def anchor(self) -> Iterator[None]:
        with self.chains[0].anchor(), self.chains[1].anchor():
            yield


def accepted(receipt: Receipt | InvalidTransaction) -> Receipt:
    assert isinstance(receipt, Receipt)
    return receipt


def receipt_record(receipt: Receipt | InvalidTransaction) -> str | dict[str, object]:
    """Return the content of a receipt, except the order in which accounts were written."""
    if isinstance(receipt, InvalidTransaction):
        return str(receipt)
    return {
        "failure": failure(receipt.error),
        "gas": (receipt.gas_used, receipt.gas_price),
        "output": receipt.output,
        "reached": (receipt.address, receipt.contract, receipt.entry),
        "logs": [row[:3] for row in receipt.log_rows],
        "undone logs": [row[:3] for row in receipt.undone_log_rows],
        "words": words(receipt.changes),
        "undone words": words(receipt.undone_changes),
        "calls": [call_record(call) for call in receipt.calls],
    }


def words(changes: Changes) -> list[tuple[bytes, Any, Any, Any]]:
    return [change for change in iter_changes(changes) if change[1] is not ACCOUNT]


def failure(failed: Failure | None) -> tuple[object, ...] | None:
    if failed is None:
        return None
    return failed.kind, failed.text, failed.data, failed.file, failed.line


def call_record(call: CallRecord) -> tuple[object, ...]:
    return (
        call.kind, call.address, call.caller, call.program and call.program.digest, call.data, call.value, call.output,
        failure(call.error), [call_record(inner) for inner in call.calls],
    )  # fmt: skip


def world_state(chain: Chain) -> tuple[object, object]:
    """All accounts and words of a chain."""
    words = {address: storage for address, storage in chain.state.storages.items() if storage}
    return chain.state.accounts, words


def forwarder(evm: Code, target: Address, kind: str) -> bytes:
    """Bytecode that writes, clears, counts in transient storage and logs, and passes its message on to `target`."""
    work = evm(
        1, 7, "SSTORE", 0, 7, "SSTORE", 9, "TLOAD", 1, "ADD", "DUP1", 9, "TSTORE",
        0, "MSTORE", 5, 32, 0, "LOG1", "CALLDATASIZE", 0, 0, "CALLDATACOPY",
        0, 0, "CALLDATASIZE", 0,
    )  # fmt: skip
    send = (
        evm(bytes(target), "GAS", "DELEGATECALL")
        if kind == "lend"
        else evm("CALLVALUE", bytes(target), "GAS", "CALL")
    )
    if kind == "swallow":
        return work + send + evm(0, "MSTORE", 32, 0, "RETURN")
    code = work + send + evm("RETURNDATASIZE", 0, 0, "RETURNDATACOPY")
    good = len(code) + 7
    return code + evm(
        good.to_bytes(2),
        "JUMPI",
        "RETURNDATASIZE",
        0,
        "REVERT",
        "JUMPDEST",
        "RETURNDATASIZE",
        0,
        "RETURN",
    )
