"""Methods that trace a transaction, sent or only simulated: in geth's formats, and decoded by its contracts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from chain.ledger.decoded.build_trace import trace_of
from chain.ledger.receipts import Receipt
from chain.ledger.reexecution import block_of, recording_machine, replay_transaction, transaction_of
from chain.machine.failure import Failure
from chain.machine.recording import RecordingMachine, TraceTooLarge
from chain.rpc.block_tags import LATEST, PENDING, require_block
from chain.rpc.chain.receipts import need_receipt
from chain.rpc.chain.traces import tree_json
from chain.rpc.debug.tracers import (
    MOST_BYTES,
    MOST_OPERATIONS,
    TracedRun,
    accessed_state,
    call_tracer,
    prestate_tracer,
    struct_logs,
)
from chain.rpc.errors import bad_params, refused, too_much
from chain.rpc.eth.blocks import receipts_in
from chain.rpc.eth.calls import imagined, simulated
from chain.rpc.hex_values import data, quantity, to_hash, to_int, to_list, to_object, word
from chain.rpc.json_format import Json
from chain.rpc.node import Node
from chain.rpc.transaction_fields import parse_fields
from chain.simulator.reader import ChainReader

_TRACERS: Final[dict[Any, Callable[[TracedRun, Json], object]]] = {
    None: struct_logs,
    "": struct_logs,
    "callTracer": call_tracer,
    "prestateTracer": prestate_tracer,
}
_MOST_ROUNDS: Final = 16


# Past transactions


def trace_transaction(node: Node, tx_hash: object, config: object = None) -> object:
    """Run a transaction again on the state before it, and return the trace in the format of the tracer."""
    receipt = node.chain.ledger.find(to_hash(tx_hash))
    if receipt is None:
        raise refused(f"transaction not found: there is no {tx_hash}")
    return _traced(node, receipt, config)


def trace_block(node: Node, block: object, config: object = None) -> list[Json]:
    """Trace every transaction of a block."""
    found_block = require_block(node.chain, block)
    return [
        {"txHash": data(receipt.tx_hash), "result": _traced(node, receipt, config)}
        for receipt in receipts_in(node, found_block)
    ]


def _traced(node: Node, receipt: Receipt, config: object) -> Any:
    machine = recording_machine(node.chain.ledger)
    show = _tracer(config, machine)
    return show(replayed(node, receipt, machine))


def replayed(node: Node, receipt: Receipt, machine: RecordingMachine | None = None) -> TracedRun:
    """Run a transaction again, and return its recorded run."""
    ledger = node.chain.ledger
    machine = machine or recording_machine(ledger)
    with refuse_unreplayable():
        _, outcome = replay_transaction(ledger, receipt, machine)
    return TracedRun(transaction_of(receipt), outcome, machine, block_of(ledger, receipt).coinbase)


@contextmanager
def refuse_unreplayable() -> Iterator[None]:
    """Refuse a transaction that cannot be run again, or whose trace is too large."""
    try:
        yield
    except LookupError as error:
        raise refused(str(error)) from None
    except TraceTooLarge:
        raise too_much(
            f"the trace is larger than {MOST_BYTES} bytes: leave out 'enableMemory', or set 'limit'"
        ) from None


def _tracer(config: object, machine: RecordingMachine) -> Callable[[TracedRun], object]:
    """Return the function that formats a run, and set up the machine to record what it needs."""
    config = to_object(config or {}, "the tracer's configuration")
    name = config.get("tracer")
    if (name is not None and not isinstance(name, str)) or name not in _TRACERS:
        known = ", ".join(filter(None, _TRACERS))
        raise bad_params(
            f"there is no tracer {name!r} here; there are {known}, and the default, which logs operations"
        )
    if not name:
        machine.opcodes, machine.keeps_memory = [], bool(config.get("enableMemory"))
        machine.most_opcodes, machine.room = _most_opcodes(config), MOST_BYTES
    options = to_object(config.get("tracerConfig") or {}, "'tracerConfig'") if name else config
    return lambda run: _TRACERS[name](run, dict(options))


def _most_opcodes(config: Mapping[str, object]) -> int:
    """Return the number of operations to record: the client's limit, at most what one answer can hold."""
    limit = to_int(config.get("limit") or MOST_OPERATIONS, "'limit'")
    return min(limit, MOST_OPERATIONS)


# Rehearsed transactions


def trace_call(node: Node, fields: object, block: object = LATEST, config: object = None) -> object:
    """Run a message at the end of a block, undo it, and return the trace in the format of the tracer."""
    config = to_object(config or {}, "the tracer's configuration")
    machine = recording_machine(node.chain.ledger)
    show = _tracer(config, machine)
    with refuse_unreplayable():
        return show(run_aside(node, fields, block, machine, config)[1])


def run_aside(
    node: Node, fields: object, block: object, machine: RecordingMachine, config: Any = None
) -> tuple[ChainReader, TracedRun]:
    """Run a transaction on a separate state. Return the reader of that state, and the run."""
    chain, config = node.chain, config or {}
    overrides = config.get("stateOverrides"), config.get("blockOverrides")
    reader, target_block = imagined(chain, block, *overrides, apart=True)
    machine.state, machine.loaded = reader.state, reader.machine.loaded
    machine.block_hash = reader.machine.block_hash
    given = to_object(fields, "the transaction")
    tx = parse_fields(chain, given, target_block, reader, signs=False)
    tx = simulated(reader, tx, target_block, given)
    return reader, TracedRun(tx, machine.transact(tx, target_block), machine, target_block.coinbase)


# Access lists


def create_access_list(
    node: Node, fields: object, block: object = LATEST, overrides: object = None
) -> Json:
    """Return the accounts and words that a transaction accesses, and its gas when they are listed beforehand (EIP-2930)."""
    fields = dict(to_object(fields, "the transaction"))
    fields.pop("type", None)
    previous_list = to_list(fields.get("accessList") or (), "the entries of the access list")
    is_next = require_block(node.chain, block).number >= node.chain.head.number
    for _ in range(_MOST_ROUNDS):
        machine, request = (
            recording_machine(node.chain.ledger),
            {**fields, "accessList": previous_list},
        )
        _, run = run_aside(
            node, request, PENDING if is_next else block, machine, {"stateOverrides": overrides}
        )
        access_list, outcome = _access_list(run), run.outcome
        if access_list == previous_list:
            break
        previous_list = access_list
    answer: Json = {"accessList": access_list, "gasUsed": quantity(outcome.gas_used)}
    failure = outcome.frame.failure
    return answer if failure is None else answer | {"error": _words_of(failure)}


def _access_list(run: TracedRun) -> list[Json]:
    """Return the accessed accounts and words, without accounts that are warm anyway and have no accessed words."""
    precompiles = run.outcome.context.block.fork.precompiles
    warm = {run.tx.sender, run.outcome.frame.address, run.coinbase, *precompiles}
    return [
        {"address": data(address), "storageKeys": [word(slot) for slot in slots]}
        for address, slots in accessed_state(run).items()
        if slots or address not in warm
    ]


def _words_of(failure: Failure) -> str:
    halts = ("out of gas", "halt")
    return failure.text if failure.kind in halts else f"execution reverted: {failure.text}"


# Decoded by contracts


def trace(node: Node, which: object) -> Json:
    """Return the messages of a transaction as a tree, decoded by its contracts. `which` is a hash or a position."""
    with refuse_unreplayable():
        return tree_json(need_receipt(node, which).trace)


def trace_unsent_call(node: Node, fields: object, block: object = LATEST) -> Json:
    """Return the decoded trace of a transaction that is not sent."""
    machine = recording_machine(node.chain.ledger)
    reader, run = run_aside(node, fields, block, machine)
    return tree_json(trace_of(node.chain.ledger, reader.ledger, run.outcome, run.tx.gas))
