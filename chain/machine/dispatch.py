"""Dispatch of a message to a Python contract: from its data to an entry, and from the entry's result to the output.

`run_call` handles the whole message: it finds the entry by its selector, checks that the caller may call it and that it
accepts the value, decodes the arguments, runs the author's method, and encodes the result. `run_constructor` does the same
for the creation of a contract.
"""

from __future__ import annotations

from typing import Any, Final

from chain.errors import OutOfGas, Revert
from chain.foundation.turn import TURN, begin_turn, end_turn, is_mine
from chain.foundation.watchdog import MessageTimeUp
from chain.machine.frame import Frame
from chain.machine.limits import clear_frames, limit_exceeded
from chain.metering.fuel import abort_message, end_message, start_message
from chain.metering.program import Program
from chain.spec.contracts import ContractSpec, EntrySpec

_new: Final = object.__new__  # contract classes refuse to be called


def run_call(frame: Frame, program: Program) -> None:
    """Run the message in `frame` as a call of `program`."""
    frame.program = program
    spec, data = program.spec, frame.data
    entry = spec.by_selector.get(data[:4]) if data else spec.receive
    if entry is None:
        raise RejectedCall(_no_entry(spec, data))
    frame.entry = entry
    if frame.value or entry.private:
        _check(frame, entry)
    locks = frame.context.reentrancy_locks  # the contracts that refuse other messages now
    if entry.kind == "view":
        frame.static = True
    elif entry.nonreentrant:
        if frame.address not in locks:
            locks += (frame.address,)
        elif not entry.private:  # the contract may call itself
            raise RejectedCall(
                f"{frame.name} cannot be re-entered: {spec.name} is still busy with a call; "
                "@call(nonreentrant=False) allows an entry to run anyway"
            )
    _run_entry(frame, spec, entry, data, locks)


def _run_entry(
    frame: Frame, spec: ContractSpec, entry: EntrySpec, data: bytes, locks: tuple[bytes, ...]
) -> None:
    """Run the author's part of a message. The first message of a transaction waits for its turn."""
    context = frame.context
    if context.metering_depth or is_mine():
        _run_fuelled(frame, spec, entry, data, locks)
        return
    with TURN:
        try:
            try:
                begin_turn()
                _run_fuelled(frame, spec, entry, data, locks)
            finally:
                end_turn()
        except (MessageTimeUp, MemoryError) as problem:
            end_turn()  # the time may have been up just as the turn ended
            raise limit_exceeded(frame.name, context.machine.limits, problem) from None


def _run_fuelled(
    frame: Frame, spec: ContractSpec, entry: EntrySpec, data: bytes, locks: tuple[bytes, ...]
) -> None:
    """Run the author's part of a message on its own fuel, while `locks` are the contracts that refuse other messages."""
    context = frame.context
    outer_locks = context.reentrancy_locks
    started = start_message(frame)
    try:
        context.reentrancy_locks = locks
        contract: Any = _new(spec.cls)
        contract._frame, contract._random = frame, None
        frame.result, frame.output = entry.invoke(contract, data)
        if frame.work is not None or frame.besides:
            frame.end_work()
    except BaseException as error:
        frame.end_work(has_failed=True)
        if isinstance(error, OutOfGas):
            clear_frames(error.__traceback__)  # now, while no garbage collection walks through it
        abort_message(frame, started, error)
        raise
    else:
        end_message(frame, started)
    finally:
        context.reentrancy_locks = outer_locks
        frame.finish()


def run_constructor(frame: Frame, program: Program, args: bytes) -> None:
    """Run the message in `frame` as the creation of a contract of `program`; the output is its code."""
    frame.program = program
    spec = program.spec
    init = spec.init
    if spec.fields is not None and spec.fields.defaults:
        spec.fields.set_defaults(frame)
    if init is None:
        if args or frame.value:
            raise RejectedCall(
                f"{spec.name} has no @init, so it takes no {'arguments' if args else 'value'}"
            )
    else:
        frame.entry = init
        _check(frame, init)
        locks = *frame.context.reentrancy_locks, frame.address
        _run_entry(frame, spec, init, args, locks)
    frame.output = program.code


class RejectedCall(Revert):
    """Refusal of a message that never reached the author's code."""


def _check(frame: Frame, entry: EntrySpec) -> None:
    """Refuse value sent to an entry that is not payable, and a call from outside to a private entry."""
    if frame.value and not entry.payable:
        raise RejectedCall(f"{frame.name} takes no value: it is not payable")
    if entry.private and frame.caller != frame.address:
        raise RejectedCall(f"{frame.name} is private: only the contract itself may call it")


def _no_entry(spec: ContractSpec, data: bytes) -> str:
    """Return the error text for call data that selects no entry."""
    if not data:
        return f"{spec.name} takes no plain transfer: it has no '@call(payable=True) def receive(self)'"
    if len(data) < 4:
        return f"{spec.name}: 0x{data.hex()} is too short to name an entry"
    return f"{spec.name} has no entry with selector 0x{data[:4].hex()}"
