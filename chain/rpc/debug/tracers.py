"""What a transaction did, in the shapes that Ethereum tools know: `callTracer`, `prestateTracer`, and a log of all operations.

Each is a function of an observed run; the state is the one that the transaction left.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from chain.ledger.decoded.writes import words_in
from chain.machine.deep_calls import (
    THREAD_DEPTHS,
    run_on_new_thread,
)
from chain.machine.frame import (
    Failure,
    Frame,
    revert_data,
    revert_text,
)
from chain.machine.recording import (
    CallStep,
    Logged,
    Read,
    RecordingMachine,
    Touched,
    WriteStep,
    steps_of,
)
from chain.machine.state import ACCOUNT, EMPTY_CODE_HASH, NO_ACCOUNT, Account, iter_changes
from chain.rpc.errors import too_much
from chain.rpc.hex_values import (
    data,
    quantity,
    word,
)

if TYPE_CHECKING:
    from chain.machine.state import State
    from chain.machine.transaction import Transaction, TransactionResult

Json = dict[str, Any]
_KINDS: Final = {
    "call": "CALL", "static": "STATICCALL", "delegate": "DELEGATECALL", "create": "CREATE",
}  # fmt: skip
MOST_OPERATIONS: Final = 50_000  # in one answer
MOST_BYTES: Final = 1 << 25  # of stack, memory and words, while the operations are noted
_OTHER_KINDS: Final = ("CREATE2", "CALLCODE")
_REASON: Final = revert_data("")[:4]


class Run(NamedTuple):
    """A transaction that was run under observation, and what became of it."""

    tx: Transaction
    outcome: TransactionResult
    machine: RecordingMachine
    coinbase: bytes


# Calls


def call_tracer(run: Run, config: Json) -> Json:
    """The tree of messages; `onlyTopCall` leaves out those below the first, `withLog` adds the logs."""
    outcome, alone = run.outcome, bool(config.get("onlyTopCall"))
    kept = {id(row): i for i, row in enumerate(outcome.logs)} if config.get("withLog") else {}
    made = _call(CallStep(outcome.frame), kept, alone)
    return made | {"gas": quantity(run.tx.gas), "gasUsed": quantity(run.outcome.gas_used)}


def _call(sent: CallStep, logs: dict[int, int], alone: bool = False) -> Json:
    """A message; `logs` are the places of those that stayed."""
    frame, by = sent
    made: Json = {
        "type": by if by in _OTHER_KINDS else _KINDS[frame.kind],
        "from": data(frame.caller),
        "to": data(frame.code_address if frame.kind == "delegate" else frame.address),
        "gas": quantity(frame.gas_limit),
        "gasUsed": quantity(frame.gas_limit - frame.gas),
        "input": data(frame.data),
    }
    if frame.kind != "static":
        made["value"] = quantity(frame.value)
    if frame.output:
        made["output"] = data(frame.output)
    if frame.failure is not None:
        made |= _failed(frame.failure)
    below = [] if alone else [step for step in steps_of(frame) if isinstance(step, CallStep)]
    if below:
        made["calls"] = [_inner(step, logs) for step in below]
    written = list(_logs(frame, logs))
    return made | {"logs": written} if written else made


def _inner(sent: CallStep, logs: dict[int, int]) -> Json:
    def make(sent: CallStep) -> Json:
        return _call(sent, logs)

    made: Json = run_on_new_thread(make, sent) if sent.frame.depth in THREAD_DEPTHS else make(sent)
    return made


def _failed(failure: Failure) -> Json:
    if failure.kind == "out of gas":
        return {"error": "out of gas"}
    if failure.kind == "halt":
        return {"error": failure.text.rpartition(": ")[2]}
    reason = failure.data[:4] == _REASON
    return {"error": "execution reverted"} | (
        {"revertReason": revert_text(failure.data)} if reason else {}
    )


def _logs(frame: Frame, places: dict[int, int]) -> Iterator[Json]:
    """The logs of a message, each with how many messages it had sent by then."""
    sent = 0
    for step in steps_of(frame):
        match step:
            case CallStep():
                sent += 1
            case Logged((address, topics, raw, _, _) as row) if id(row) in places:
                yield {
                    "address": data(address),
                    "topics": [word(topic) for topic in topics],
                    "data": data(raw),
                    "index": quantity(places[id(row)]),
                    "position": quantity(sent),
                }


# State before


def prestate_tracer(run: Run, config: Json) -> Json:
    """All accounts and words that were looked at, as they were; with `diffMode` what changed, before and after."""
    places = accessed_state(run)
    state, before = run.machine.state, PreState(run)
    pre = {
        who: _account(state, before.account(who), _words(before, who, slots))
        for who, slots in places.items()
    }
    if not config.get("diffMode"):
        return {data(who): found for who, found in pre.items()}
    return _difference(run, before, places)


def accessed_state(run: Run) -> dict[bytes, dict[int, None]]:
    """Every account and word that the transaction looked at, in the order in which it did."""
    tx, first = run.tx, run.outcome.frame
    found: dict[bytes, dict[int, None]] = {tx.sender: {}, first.address: {}, run.coinbase: {}}
    left = [first]
    while left:
        frame = left.pop()
        found.setdefault(frame.address, {})
        found.setdefault(frame.code_address, {})
        for step in steps_of(frame):
            match step:
                case Read(address, slot) | WriteStep(address, slot):
                    found.setdefault(address, {})[slot] = None
                case Touched(address):
                    found.setdefault(address, {})
                case CallStep(child):
                    left.append(child)
    return found


class PreState:
    """The state as the transaction found it, seen from after it."""

    def __init__(self, run: Run) -> None:
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
        found = self._words.get((address, slot))
        return self._state.word(address, slot) if found is None else found


def _words(before: PreState, who: bytes, slots: dict[int, None]) -> dict[int, int]:
    return {slot: before.word(who, slot) for slot in slots}


def _account(state: State, account: Account, words: dict[int, int]) -> Json:
    nonce, balance, code_hash = account
    made: Json = {"balance": quantity(balance)}
    if nonce:
        made["nonce"] = nonce
    if code_hash != EMPTY_CODE_HASH:
        made["code"] = data(state.codes[code_hash])
    if words:
        made["storage"] = _storage(words)
    return made


def _storage(words: dict[int, int]) -> Json:
    return {word(slot): word(value) for slot, value in words.items()}


def _difference(run: Run, before: PreState, places: dict[bytes, dict[int, None]]) -> Json:
    state = run.machine.state
    pre, post = {}, {}
    for who, slots in places.items():
        old, new = before.account(who), state.account(who)
        changed = {
            slot: (was, now)
            for slot in slots
            if (was := before.word(who, slot)) != (now := state.word(who, slot))
        }
        if old == new and not changed:
            continue
        if old != NO_ACCOUNT:
            pre[data(who)] = _account(state, old, {s: w for s, (w, _) in changed.items() if w})
        if new != NO_ACCOUNT:
            shown = _account(state, new, {s: w for s, (_, w) in changed.items() if w})
            kept = _account(state, old, {})
            post[data(who)] = {name: v for name, v in shown.items() if kept.get(name) != v}
    return {"pre": pre, "post": post}


# Operations


def struct_logs(run: Run, config: Json) -> Json:
    """Every operation of bytecode, with stack, memory if wanted, and the words of its contract that it knows."""
    outcome, told = run.outcome, run.machine.opcodes or ()
    if len(told) >= MOST_OPERATIONS:
        raise too_much(f"more than {MOST_OPERATIONS} operations are too much: say 'limit'")
    return {
        "gas": outcome.gas_used,
        "failed": outcome.frame.failure is not None,
        "returnValue": data(outcome.frame.output),
        "structLogs": [_operation(each, config) for each in told],
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
