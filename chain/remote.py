"""Calls from one contract to another: `self.at(Other, address).entry(...)` and `self.abi(address, abi).function(...)`.

A refusal on the other side comes up here as the same `Revert`, to be caught or passed on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from chain.errors import Revert
from chain.frame import Frame
from chain.inputs import AccountLike, address_of, gas_of, wei
from chain.machine.gas import PRECOMPILES
from chain.types import Address


class Remote:
    """A contract elsewhere; its entries are methods."""

    __slots__ = ("_entries", "_frame", "_gas", "_value", "address")

    def __init__(
        self,
        frame: Frame,
        address: AccountLike,
        entries: Mapping[str, Any],
        value: int,
        gas: int | None,
    ) -> None:
        if type(address) is not Address:
            address = address_of(address)
        if value or type(value) is not int:
            value = wei(value)
        if gas is not None:
            gas = gas_of(gas)
        self._frame, self.address, self._entries = frame, address, entries
        self._value, self._gas = value, gas

    def __getattr__(self, name: str) -> Callable[..., Any]:
        entry = self._entries.get(name)
        if entry is None:
            raise AttributeError(
                f"there is no entry '{name}'; there are {', '.join(sorted(self._entries))}"
            )

        def send(*args: Any, **named: Any) -> Any:
            data, frame, address = entry.encode_args(args, named), self._frame, bytes(self.address)
            if not frame.state.has_code(address) and address not in PRECOMPILES:
                frame.touch(address)
                raise Revert(f"there is no contract at {self.address}, so {name} cannot be called")
            child = frame.call(address, data, self._value, self._gas, static=entry.is_view)
            return entry.decode_result(answer(child, frame))

        return send


def answer(child: Frame, caller: Frame) -> bytes:
    """What a finished message returned; its refusal is raised again here."""
    failure = child.failure
    if failure is None:
        return child.output
    if isinstance(failure.cause, Revert):
        program = caller.program
        raise failure.cause if program is None else program.inward(failure.cause)
    raise Revert(failure.text, data=failure.data)
