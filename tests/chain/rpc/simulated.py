"""Accounts, a contract and blocks of calls for simulations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chain import Address, Contract, Revert, call, event, view
from chain.types import u64

ONE, TWO = (f"0x{n:040x}" for n in (1, 2))
POOR = "0xc1" + "00" * 19
A, B, C = (f"0xc{n}" + "00" * 19 for n in range(3))
Simulate = Callable[..., list[Any]]


@event
class Set:
    what: u64


class Cell(Contract):
    what: u64

    @call
    def put(self, what: u64) -> u64:
        self.what, before = what, self.what
        self.emit(Set(what))
        return before

    @call(payable=True)
    def give(self, to: bytes) -> None:
        raise Revert("not today")

    @call(payable=True)
    def forward(self, to: Address) -> None:
        self.transfer(to, self.value)

    @view
    def time(self) -> u64:
        return self.block.timestamp


def to(entry: Any, *args: Any, **fields: Any) -> dict[str, Any]:
    return {"to": entry._address, "data": entry.calldata(*args), **fields}


def run(code: str, data: str = "") -> dict[str, Any]:
    """A block with a call of this code at the address C."""
    data = data and "0x" + data[2:].zfill(64)
    return {
        "stateOverrides": {C: {"code": "0x" + code}},
        "calls": [{"to": C, "data": data or "0x"}],
    }
