"""How a message runs in a Python contract: from its data to an entry, and from what the entry returns to the output.

`run` is the whole life of such a message: find the entry by its selector, check who may call it and with what, decode the
arguments, run the author's method, encode what it returns. `create` is the same for the making of a contract.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from chain.concurrency.turn import (
    TURN,
    begin_turn,
    end_turn,
    is_mine,
)
from chain.errors import OutOfGas, Revert
from chain.machine.frame import Frame
from chain.metering.fuel import (
    OUTSIDE,
    abort_message,
    end_message,
    start_message,
)
from chain.metering.program import Program
from chain.metering.value_size import weigh_written
from chain.spec.contracts import (
    ContractSpec,
    EntrySpec,
)


def run_call(frame: Frame, program: Program) -> None:
    """Run the message in `frame` as a call of `program`."""
    frame.program = program
    spec, data = program.image, frame.data
    entry = spec.by_selector.get(data[:4])
    if entry is None:
        raise RejectedCall(_no_entry(spec, data))
    frame.entry = entry
    _check(frame, entry)
    if entry.kind == "view":
        frame.static = True
    elif entry.nonreentrant:
        entered, address = frame.context.reentrancy_locks, frame.address
        if address in entered:
            if entry.private:  # the contract came to itself
                _run_entry(frame, spec, entry, data)
                return
            raise RejectedCall(
                f"{frame.name} is not open to re-entry: {spec.name} is still busy with a call;"
                " @call(nonreentrant=False) lets an entry run all the same"
            )
        entered.add(address)
        try:
            _run_entry(frame, spec, entry, data)
        finally:
            entered.discard(address)
        return
    _run_entry(frame, spec, entry, data)


def _run_entry(frame: Frame, spec: ContractSpec, entry: EntrySpec, data: bytes) -> None:
    """The author's part of a message; the first one of a transaction waits for its turn."""
    if frame.context.metering_depth or is_mine():
        _run_fuelled(frame, spec, entry, data)
        return
    with TURN:
        try:
            begin_turn()
            _run_fuelled(frame, spec, entry, data, OUTSIDE)  # whatever tanks an interrupt has left
        finally:
            end_turn()


def _run_fuelled(
    frame: Frame, spec: ContractSpec, entry: EntrySpec, data: bytes, outer: Any = None
) -> None:
    """The same, on fuel of its own; `outer` the tanks of whoever sent the message, if they do not stand there."""
    began = start_message(frame, outer)
    try:
        result = entry.function(_instance(spec, frame), *entry.decode_args(data))
        frame.result = result
        frame.output = entry.encode_result(result)
    except BaseException as problem:
        with suppress(
            OutOfGas
        ):  # what it says is written later, when nobody pays: then `fail` finds the tank dry
            weigh_written(problem)
        abort_message(frame, began, problem)
        raise
    else:
        end_message(frame, began)
    finally:
        frame.finish()


def run_constructor(frame: Frame, program: Program, args: bytes) -> None:
    """Run the message in `frame` as the making of a contract of `program`; the output is its code."""
    frame.program = program
    spec = program.image
    init = spec.init
    if init is None:
        if args or frame.value:
            raise RejectedCall(
                f"{spec.name} has no @init, so it takes no {'arguments' if args else 'value'}"
            )
    else:
        frame.entry = init
        _check(frame, init)
        entered = frame.context.reentrancy_locks
        entered.add(frame.address)
        try:
            _run_entry(frame, spec, init, args)
        finally:
            entered.discard(frame.address)
    frame.output = program.code


class RejectedCall(Revert):
    """The message never reached the author's code."""


def _check(frame: Frame, entry: EntrySpec) -> None:
    if frame.value and not entry.payable:
        raise RejectedCall(f"{frame.name} takes no value: it is not payable")
    if entry.private and frame.caller != frame.address:
        raise RejectedCall(f"{frame.name} is private: only the contract itself may call it")


def _no_entry(spec: ContractSpec, data: bytes) -> str:
    if not data:
        return f"{spec.name} takes no plain transfer: call one of its entries"
    if len(data) < 4:
        return f"{spec.name}: 0x{data.hex()} is too short to name an entry"
    return f"{spec.name} has no entry with selector 0x{data[:4].hex()}"


def _instance(spec: ContractSpec, frame: Frame) -> Any:
    contract: Any = object.__new__(spec.cls)
    contract._frame = frame
    return contract
