"""A trace as JSON: the tree of messages with their steps, and the whole trace as text."""

from __future__ import annotations

from chain.ledger.decoded.trace import LogStep, Trace, TraceStep
from chain.ledger.decoded.writes import Reading, Write
from chain.ledger.logs import Decoding
from chain.ledger.sql.json_values import address_text
from chain.rpc.chain.values import json_of, plain, plain_members
from chain.rpc.hex_values import data
from chain.rpc.json_format import Json


def tree_json(first: Trace) -> Json:
    """Return the tree of messages, with a readable version under `text`."""
    tree = _message(first)
    pending = [(first, tree)]
    while pending:  # not recursive, as it may be a thousand levels deep
        message, shown = pending.pop()
        for step in message.steps:
            shown_step = _step(step, first.ledger)
            shown["steps"].append(shown_step)
            if isinstance(step, Trace):
                pending.append((step, shown_step))
    return tree | {"text": str(first)}


def _message(message: Trace) -> Json:
    return {
        "step": "call",
        "kind": message.kind,
        "address": address_text(message.address),
        "caller": address_text(message.caller),
        "code_address": address_text(message.code_address),
        "contract": message.contract,
        "entry": message.entry and message.entry.name,
        "args": plain_members(message.args),
        "data": data(message.data),
        "value": plain(message.value),
        "gas": message.gas,
        "gas_used": message.gas_used,
        "ok": message.ok,
        "output": data(message.output),
        "result": plain(message.result),
        "error": None if message.error is None else json_of(message.ledger).error(message.error),
        "steps": list[object](),
    }


def _step(step: TraceStep, ledger: Decoding) -> Json:
    shape = json_of(ledger)
    match step:
        case Reading():
            shown = {**shape.place(step), "value": plain(step.value), "text": str(step)}
            return {"step": "read", **shown}
        case Write():
            return {"step": "write", **shape.write(step)}
        case LogStep():
            return {"step": "log", **shape.log(step.row)}
        case Trace():
            return _message(step)
