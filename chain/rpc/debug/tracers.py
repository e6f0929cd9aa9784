"""Traces of a transaction in the formats of Ethereum tools: `callTracer`, `prestateTracer`, and a log of all operations.

Each tracer is a function of a recorded run. The machine's state is the one after the transaction.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from chain.abi.texts import revert_data, revert_text
from chain.ledger.decoded.writes import words_in
from chain.machine.deep_calls import THREAD_DEPTHS, run_on_new_thread
from chain.machine.failure import Failure
from chain.machine.frame import Frame
from chain.machine.recording import (
    CallStep,
    Logged,
    RecordingMachine,
    Touched,
    WordRead,
    WriteStep,
    steps_of,
)
from chain.machine.state import ACCOUNT, EMPTY_CODE_HASH, NO_ACCOUNT, Account, State, iter_changes
from chain.machine.transaction import Transaction, TransactionResult
from chain.rpc.errors import too_much
from chain.rpc.hex_values import data, quantity, word
from chain.rpc.json_format import Json

CALL_TYPES: Final = {
    "call": "CALL", "static": "STATICCALL", "delegate": "DELEGATECALL", "create": "CREATE",
}  # fmt: skip
MOST_OPERATIONS: Final = 50_000  # in one answer
MOST_BYTES: Final = 1 << 25  # of stack, memory and words, while operations are recorded
_OTHER_KINDS: Final = ("CREATE2", "CALLCODE")
_REASON: Final = revert_data("")[:4]


class TracedRun(NamedTuple):
    """A transaction that was run on a recording machine, and its outcome."""

    tx: Transaction
    outcome: TransactionResult
    machine: RecordingMachine
    coinbase: bytes


# Calls


def call_tracer(run: TracedRun, config: Json) -> Json:
    """Return the tree of messages. `onlyTopCall` keeps only the first message, `withLog` adds the logs."""
    outcome, only_top_call = run.outcome, bool(config.get("onlyTopCall"))
    log_indexes = (
        {id(log): index for index, log in enumerate(outcome.logs)} if config.get("withLog") else {}
    )
    call = _call(CallStep(outcome.frame), log_indexes, only_top_call)
    return call | {"gas": quantity(run.tx.gas), "gasUsed": quantity(run.outcome.gas_used)}


def _call(sent: CallStep, logs: dict[int, int], alone: bool = False) -> Json:
    """Return a message as JSON. `logs` maps the id of each log that was kept to its index."""
    frame, opcode = sent
    call: Json = {
        "type": opcode if opcode in _OTHER_KINDS else CALL_TYPES[frame.kind],
        "from": data(frame.caller),
        "to": data(frame.code_address if frame.kind == "delegate" else frame.address),
        "gas": quantity(frame.gas_limit),
        "gasUsed": quantity(frame.gas_limit - frame.gas),
        "input": data(frame.data),
    }
    if frame.kind != "static":
        call["value"] = quantity(frame.value)
    if frame.output:
        call["output"] = data(frame.output)
    if frame.failure is not None:
        call |= _failed(frame.failure)
    child_steps = [] if alone else [step for step in steps_of(frame) if isinstance(step, CallStep)]
    if child_steps:
        call["calls"] = [_inner(step, logs) for step in child_steps]
    log_items = list(_logs(frame, logs))
    return call | {"logs": log_items} if log_items else call


def _inner(sent: CallStep, logs: dict[int, int]) -> Json:
    def make(sent: CallStep) -> Json:
        return _call(sent, logs)

    call: Json = run_on_new_thread(make, sent) if sent.frame.depth in THREAD_DEPTHS else make(sent)
    return call


def _failed(failure: Failure) -> Json:
    if failure.kind == "out of gas":
        return {"error": "out of gas"}
    if failure.kind == "halt":
        return {"error": failure.text.rpartition(": ")[2]}
    has_reason = failure.data[:4] == _REASON
    return {"error": "execution reverted"} | (
        {"revertReason": revert_text(failure.data)} if has_reason else {}
    )


def _logs(frame: Frame, places: dict[int, int]) -> Iterator[Json]:
    """Yield the logs of a message, with the number of messages sent before each. `places` maps the id of a log to its index."""
    sent_count = 0
    for step in steps_of(frame):
        match step:
            case CallStep():
                sent_count += 1
            case Logged((address, topics, raw, _, _) as row) if id(row) in places:
                yield {
                    "address": data(address),
                    "topics": [word(topic) for topic in topics],
                    "data": data(raw),
                    "index": quantity(places[id(row)]),
                    "position": quantity(sent_count),
                }


# State before


def prestate_tracer(run: TracedRun, config: Json) -> Json:
    """Return all accessed accounts and words as they were before; with `diffMode` the changed ones, before and after."""
    accessed = accessed_state(run)
    state, before = run.machine.state, PreState(run)
    pre = {
        address: _account(state, before.account(address), _words(before, address, slots))
        for address, slots in accessed.items()
    }
    if not config.get("diffMode"):
        return {data(address): account for address, account in pre.items()}
    return _difference(run, before, accessed)


def accessed_state(run: TracedRun) -> dict[bytes, dict[int, None]]:
    """Return the accounts and words that the transaction accessed, in the order of first access within a message."""
    tx, first = run.tx, run.outcome.frame
    accessed: dict[bytes, dict[int, None]] = {tx.sender: {}, first.address: {}, run.coinbase: {}}
    pending = [first]
    while pending:
        frame = pending.pop()
        accessed.setdefault(frame.address, {})
        accessed.setdefault(frame.code_address, {})
        for step in steps_of(frame):
            match step:
                case WordRead(address, slot) | WriteStep(address, slot):
                    accessed.setdefault(address, {})[slot] = None
                case Touched(address):
                    accessed.setdefault(address, {})
                case CallStep(child):
                    pending.append(child)
    return accessed


class PreState:
    """The state before the transaction, derived from the state after it."""

    def __init__(self, run: TracedRun) -> None:
        self._state = run.machine.state
        self._accounts: dict[bytes, Account] = {}
        self._words: dict[tuple[bytes, int], int] = {}
        for address, slot, before, _ in iter_changes(run.outcome.changes):
            if slot is ACCOUNT:
                self._accounts.setdefault(address, before or NO_ACCOUNT)
        for address, slot, old, _ in words_in(run.outcome.changes):
            self._words.setdefault((address, slot), old)

    def account(self, address: bytes) -> Account:
        return self._accounts.get(address) or self._state.account(address)

    def word(self, address: bytes, slot: int) -> int:
        word = self._words.get((address, slot))
        return self._state.word(address, slot) if word is None else word


def _words(before: PreState, who: bytes, slots: dict[int, None]) -> dict[int, int]:
    return {slot: before.word(who, slot) for slot in slots}


def _account(state: State, account: Account, words: dict[int, int]) -> Json:
    nonce, balance, code_hash = account
    shown: Json = {"balance": quantity(balance)}
    if nonce:
        shown["nonce"] = nonce
    if code_hash != EMPTY_CODE_HASH:
        shown["code"] = data(state.codes[code_hash])
    if words:
        shown["storage"] = _storage(words)
    return shown


def _storage(words: dict[int, int]) -> Json:
    return {word(slot): word(value) for slot, value in words.items()}


def _difference(run: TracedRun, before: PreState, places: dict[bytes, dict[int, None]]) -> Json:
    state = run.machine.state
    pre, post = {}, {}
    for address, slots in places.items():
        old, new = before.account(address), state.account(address)
        changed = {
            slot: (old_word, new_word)
            for slot in slots
            if (old_word := before.word(address, slot)) != (new_word := state.word(address, slot))
        }
        if old == new and not changed:
            continue
        if old != NO_ACCOUNT:
            pre[data(address)] = _account(
                state,
                old,
                {slot_number: value for slot_number, (value, _) in changed.items() if value},
            )
        if new != NO_ACCOUNT:
            shown = _account(
                state,
                new,
                {slot_number: value for slot_number, (_, value) in changed.items() if value},
            )
            old_shown = _account(state, old, {})
            post[data(address)] = {
                name: value for name, value in shown.items() if old_shown.get(name) != value
            }
    return {"pre": pre, "post": post}


# Operations


def struct_logs(run: TracedRun, config: Json) -> Json:
    """Return every operation of bytecode with its stack, the known storage words, and memory if the client asks for it."""
    outcome, operations = run.outcome, run.machine.opcodes or ()
    if len(operations) >= MOST_OPERATIONS:
        raise too_much(f"more than {MOST_OPERATIONS} operations are too many: set 'limit'")
    return {
        "gas": outcome.gas_used,
        "failed": outcome.frame.failure is not None,
        "returnValue": data(outcome.frame.output),
        "structLogs": [_operation(operation, config) for operation in operations],
    }


def _operation(made: Any, config: Json) -> Json:
    shown: Json = {
        "pc": made.pc, "op": made.name, "gas": made.gas, "gasCost": made.cost, "depth": made.depth,
    }  # fmt: skip
    if made.error is not None:
        shown["error"] = made.error
    if made.refund:
        shown["refund"] = made.refund
    if not config.get("disableStack"):
        shown["stack"] = [hex(item) for item in made.stack]
    if config.get("enableMemory"):
        raw = made.memory
        shown["memory"] = [data(raw[i : i + 32]) for i in range(0, len(raw), 32)]
    if made.storage and not config.get("disableStorage"):
        shown["storage"] = _storage(made.storage)
    return shown
