"""A transaction as the flat list of its messages, in Parity's format: each has the path to it in the tree, its `traceAddress`.

Calls of precompiled contracts are left out, and contracts that destroyed themselves have a trace of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from chain.machine.failure import Failure
from chain.machine.frame import Frame
from chain.machine.recording import CallStep, Destroyed, steps_of
from chain.rpc.debug.tracers import TracedRun
from chain.rpc.hex_values import data, quantity
from chain.rpc.json_format import Json

TracePath: TypeAlias = tuple[int, ...]
_CALL_TYPES: Final = {"call": "call", "static": "staticcall", "delegate": "delegatecall"}
_ERRORS: Final = {"out of gas": "Out of gas"}


class TracedMessage(NamedTuple):
    """A message, or the end of a contract, and its position in the tree."""

    path: TracePath
    step: CallStep | Destroyed
    children: int

    @property
    def ends(self) -> tuple[bytes, bytes]:
        """The accounts that it goes from and to."""
        if isinstance(self.step, Destroyed):
            return self.step.address, self.step.heir
        frame = self.step.frame
        return frame.caller, frame.code_address if frame.kind == "delegate" else frame.address


def messages_of(run: TracedRun) -> Iterator[TracedMessage]:
    """Yield all messages of a transaction, each before those that it sent."""
    precompiles = run.outcome.context.block.fork.precompiles
    pending: list[tuple[TracePath, CallStep | Destroyed]] = [((), CallStep(run.outcome.frame))]
    while pending:  # not recursive, as it may be a thousand levels deep
        path, step = pending.pop()
        below = [] if isinstance(step, Destroyed) else _steps_below(step.frame, precompiles)
        yield TracedMessage(path, step, len(below))
        pending += reversed([((*path, i), child) for i, child in enumerate(below)])


def _steps_below(frame: Frame, precompiles: object) -> list[CallStep | Destroyed]:
    found: list[CallStep | Destroyed] = []
    for step in steps_of(frame):
        match step:
            case CallStep(child) if child.kind == "create" or child.code_address not in precompiles:  # type: ignore[operator]
                found.append(step)
            case Destroyed():
                found.append(step)
    return found


def trace_json(message: TracedMessage) -> Json:
    """Return a message without its transaction."""
    shown = _destroyed(message.step) if isinstance(message.step, Destroyed) else _call(message.step)
    return {**shown, "subtraces": message.children, "traceAddress": list(message.path)}


def _destroyed(step: Destroyed) -> Json:
    action = {
        "address": data(step.address),
        "refundAddress": data(step.heir),
        "balance": quantity(step.balance),
    }
    return {"type": "suicide", "action": action, "result": None}


def _call(step: CallStep) -> Json:
    frame = step.frame
    action = {
        "from": data(frame.caller),
        "gas": quantity(frame.gas_limit),
        "value": quantity(frame.value),
    }
    result = {"gasUsed": quantity(frame.gas_limit - frame.gas)}
    if frame.kind == "create":
        method = "create2" if step.by == "CREATE2" else "create"
        action |= {"init": data(frame.data), "creationMethod": method}
        result |= {"address": data(frame.address), "code": data(frame.output)}
    else:
        to = frame.code_address if frame.kind == "delegate" else frame.address
        call_type = "callcode" if step.by == "CALLCODE" else _CALL_TYPES[frame.kind]
        action |= {"to": data(to), "input": data(frame.data), "callType": call_type}
        result |= {"output": data(frame.output)}
    shown: Json = {"type": "create" if frame.kind == "create" else "call", "action": action}
    if frame.failure is None:
        return {**shown, "result": result}
    is_whole = _is_revert(frame.failure) and frame.kind != "create"
    return {**shown, "error": _error(frame.failure), "result": result if is_whole else None}


def _is_revert(failure: Failure) -> bool:
    return failure.kind not in ("out of gas", "halt")


def _error(failure: Failure) -> str:
    if _is_revert(failure):
        return "Reverted"
    return _ERRORS.get(failure.kind) or failure.text.rpartition(": ")[2]
