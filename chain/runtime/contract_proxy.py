"""Calls from one contract to another: `self.at(Other, address).entry(...)` and `self.abi(address, abi).function(...)`.

A revert of the called contract is raised again in the caller as the same `Revert`, to be caught or passed on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from chain.abi.texts import revert_text
from chain.errors import Revert
from chain.machine.frame import Frame
from chain.spec.overloads import choose
from chain.types import Address
from chain.values.inputs import AccountLike, address_of, gas_of, wei


class Callables(Protocol):
    """The callables of a contract: its entries, or the functions of its JSON ABI."""

    def named(self, name: str) -> tuple[Any, ...]: ...
    def no_entry(self, name: str) -> str: ...


class ContractProxy:
    """Another contract, with its entries as methods. Overloads are selected by signature in brackets."""

    __slots__ = ("_callables", "_frame", "_gas", "_value", "address")

    def __init__(
        self,
        frame: Frame,
        address: AccountLike,
        callables: Callables,
        value: int,
        gas: int | None,
    ) -> None:
        if type(address) is not Address:
            address = address_of(address)
        if value or type(value) is not int:
            value = wei(value)
        if gas is not None:
            gas = gas_of(gas)
        self._frame, self.address, self._callables = frame, address, callables
        self._value, self._gas = value, gas

    def __getattr__(self, name: str) -> Callable[..., Any]:
        overloads = self._callables.named(name)
        if not overloads:
            raise AttributeError(self._callables.no_entry(name))

        def send(*args: object, **named: object) -> Any:
            entry = overloads[0] if len(overloads) == 1 else choose(name, overloads, args, named)
            data, frame, address = entry.encode_args(args, named), self._frame, bytes(self.address)
            precompiles = frame.context.block.fork.precompiles
            if not frame.state.has_code(address) and address not in precompiles:
                frame.touch(address)
                raise Revert(f"there is no contract at {self.address}, so {name} cannot be called")
            child = frame.call(address, data, self._value, self._gas, static=entry.is_view)
            return entry.decode_result(unwrap_result(child, frame))

        return send

    def __getitem__(self, name: str) -> Callable[..., object]:
        return self.__getattr__(name)


def unwrap_result(child: Frame, caller: Frame) -> bytes:
    """Return the output of a finished message, or raise its revert."""
    failure = child.failure
    if failure is None:
        return child.output
    if isinstance(failure.cause, Revert):
        raise failure.cause
    text = revert_text(failure.data) if failure.kind == "exception" else failure.text
    raise Revert(text, data=failure.data) from failure.cause
