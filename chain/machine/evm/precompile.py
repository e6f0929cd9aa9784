"""The form of a precompiled contract: its price and the bytes that it returns."""

from __future__ import annotations

from collections.abc import Callable

from eth.abc import ComputationAPI

from chain.foundation.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Precompile:
    """A precompiled contract. `run` raises `VMError` if its input is invalid, which takes all the gas of the message."""

    name: str
    price: Callable[[bytes], int]
    run: Callable[[bytes], bytes]

    def __call__(self, computation: ComputationAPI) -> None:
        data = computation.msg.data_as_bytes
        computation.consume_gas(self.price(data), self.name)
        computation.output = self.run(data)
