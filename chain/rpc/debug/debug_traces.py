"""Methods that show what a transaction did, or would do: traces in the shapes of geth and in the words of contracts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from chain.ledger.decoded.build_trace import trace_of
from chain.ledger.reexecution import (
    block_of,
    recording_machine,
    replay_transaction,
    transaction_of,
)
from chain.machine.frame import Failure
from chain.machine.gas import PRECOMPILES
from chain.machine.recording import TraceTooLarge
from chain.rpc.block_tags import (
    LATEST,
    PENDING,
    require_block,
)
from chain.rpc.boardchain.receipts import need_receipt
from chain.rpc.boardchain.traces import tree_json
from chain.rpc.debug.tracers import (
    MOST_BYTES,
    MOST_OPERATIONS,
    Run,
    accessed_state,
    call_tracer,
    prestate_tracer,
    struct_logs,
)
from chain.rpc.errors import bad_params, refused, too_much
from chain.rpc.eth.blocks import receipts_in
from chain.rpc.eth.transactions import (
    imagined,
    without_fees,
)
from chain.rpc.hex_values import (
    data,
    quantity,
    to_hash,
    to_int,
    to_list,
    to_object,
    word,
)
from chain.rpc.transaction_fields import parse_fields

if TYPE_CHECKING:
    from chain.ledger.blocks import Block
    from chain.ledger.receipts import Receipt
    from chain.machine.recording import RecordingMachine
    from chain.rpc.node import Node
    from chain.simulator.reader import ChainReader

Json = dict[str, Any]
_TRACERS: Final[dict[Any, Callable[[Run, Json], Any]]] = {
    None: struct_logs,
    "": struct_logs,
    "callTracer": call_tracer,
    "prestateTracer": prestate_tracer,
}
_MOST_ROUNDS: Final = 16


# What was


def trace_transaction(node: Node, tx_hash: Any, config: Any = None) -> Any:
    """Run a transaction again on the state before it: what it did, as the tracer shows it."""
    found = node.chain.ledger.find(to_hash(tx_hash))
    if found is None:
        raise refused(f"transaction not found: there is no {tx_hash}")
    return _traced(node, found, config)


def trace_block(node: Node, block: Any, config: Any = None) -> list[Json]:
    """The same for every transaction of a block."""
    found = require_block(node.chain, block)
    return [
        {"txHash": data(receipt.tx_hash), "result": _traced(node, receipt, config)}
        for receipt in receipts_in(node, found)
    ]


def _traced(node: Node, receipt: Receipt, config: Any) -> Any:
    ledger, machine = node.chain.ledger, recording_machine(node.chain.ledger)
    show = _tracer(config, machine)
    with _refuse_unreplayable():
        _, outcome = replay_transaction(ledger, receipt, machine)
    return show(Run(transaction_of(receipt), outcome, machine, block_of(ledger, receipt).coinbase))


@contextmanager
def _refuse_unreplayable() -> Iterator[None]:
    """What cannot be run again, or not be told, is refused in a sentence."""
    try:
        yield
    except LookupError as no:
        raise refused(str(no)) from None
    except TraceTooLarge:
        raise too_much(
            f"the trace is larger than {MOST_BYTES} bytes: leave out 'enableMemory', or say 'limit'"
        ) from None


def _tracer(config: Any, machine: RecordingMachine) -> Callable[[Run], Any]:
    """What shows a run, and what the machine must note for it."""
    config = to_object(config or {}, "the tracer's configuration")
    name = config.get("tracer")
    if (name is not None and not isinstance(name, str)) or name not in _TRACERS:
        known = ", ".join(filter(None, _TRACERS))
        raise bad_params(
            f"there is no tracer {name!r} here; there are {known}, and none for operations"
        )
    if not name:
        machine.opcodes, machine.keeps_memory = [], bool(config.get("enableMemory"))
        machine.most_opcodes, machine.room = _most_opcodes(config), MOST_BYTES
    options = to_object(config.get("tracerConfig") or {}, "'tracerConfig'") if name else config
    return lambda run: _TRACERS[name](run, dict(options))


def _most_opcodes(config: Mapping[str, Any]) -> int:
    """How many operations are told: as many as the client wants, and no more than one answer can hold."""
    limit = to_int(config.get("limit") or MOST_OPERATIONS, "'limit'")
    return min(limit, MOST_OPERATIONS)


# What would be


def trace_call(node: Node, fields: Any, block: Any = LATEST, config: Any = None) -> Any:
    """Run a message at the end of a block, and undo it: what it would do, as the tracer shows it."""
    config = to_object(config or {}, "the tracer's configuration")
    machine = recording_machine(node.chain.ledger)
    show = _tracer(config, machine)
    with _refuse_unreplayable():
        return show(_rehearse(node, fields, block, machine, config)[1])


def _rehearse(
    node: Node, fields: Any, block: Any, machine: RecordingMachine, config: Any = None
) -> tuple[ChainReader, Run]:
    """Run a transaction on a state aside: that, and how it went."""
    chain, config = node.chain, config or {}
    there, where = imagined(chain, block, config.get("stateOverrides"), apart=True)
    machine.state, machine.loaded = there.state, there.machine.loaded
    where = _with_overrides(where, config.get("blockOverrides"))
    tx, free = without_fees(there, parse_fields(chain, fields, where, there), where)
    return there, Run(tx, machine.transact(tx, free), machine, free.coinbase)


def _with_overrides(block: Block, overrides: Any) -> Block:
    """The block with what a client wants to imagine about it."""
    fields = to_object(overrides or {}, "'blockOverrides'")
    names = {
        "number": "number",
        "time": "timestamp",
        "baseFeePerGas": "base_fee",
        "prevRandao": "forced_prevrandao",
    }
    changes: dict[str, Any] = {
        names[n]: to_int(v, f"'{n}'") for n, v in fields.items() if n in names
    }
    return replace(block, **changes) if changes else block


# Access lists


def create_access_list(node: Node, fields: Any, block: Any = LATEST) -> Json:
    """The accounts and words that a transaction looks at, and what it costs to name them beforehand (EIP-2930)."""
    fields = dict(to_object(fields, "the transaction"))
    fields.pop("type", None)
    known = to_list(fields.get("accessList") or (), "the entries of the access list")
    is_next = require_block(node.chain, block).number >= node.chain.head.number
    for _ in range(_MOST_ROUNDS):
        machine, asked = recording_machine(node.chain.ledger), {**fields, "accessList": known}
        _, run = _rehearse(node, asked, PENDING if is_next else block, machine)
        found, outcome = _access_list(run), run.outcome
        if found == known:
            break
        known = found
    answer: Json = {"accessList": found, "gasUsed": quantity(outcome.gas_used)}
    failure = outcome.frame.failure
    return answer if failure is None else answer | {"error": _words_of(failure)}


def _access_list(run: Run) -> list[Json]:
    """What is looked at, but for accounts that are warm anyway and none of whose words are looked at."""
    warm = {run.tx.sender, run.outcome.frame.address, run.coinbase, *PRECOMPILES}
    return [
        {"address": data(who), "storageKeys": [word(slot) for slot in slots]}
        for who, slots in accessed_state(run).items()
        if slots or who not in warm
    ]


def _words_of(failure: Failure) -> str:
    kinds = ("out of gas", "halt")
    return failure.text if failure.kind in kinds else f"execution reverted: {failure.text}"


# In the words of contracts


def trace(node: Node, which: Any) -> Json:
    """What a transaction did, message by message, in the words of its contracts."""
    with _refuse_unreplayable():
        return tree_json(need_receipt(node, which).trace)


def trace_look(node: Node, fields: Any, block: Any = LATEST) -> Json:
    """What a transaction would do."""
    machine = recording_machine(node.chain.ledger)
    there, run = _rehearse(node, fields, block, machine)
    return tree_json(trace_of(node.chain.ledger, there.ledger, run.outcome, run.tx.gas))
