"""py-evm's stack, memory and gas meter, as one message has them, with fast ways for what bytecode does most."""

from __future__ import annotations

from typing import Final

from eth.constants import UINT_256_MAX
from eth.exceptions import InsufficientStack
from eth.vm.gas_meter import GasMeter
from eth.vm.memory import Memory
from eth.vm.stack import Stack

_MOST: Final = 1024  # words on the stack


class FastStack(Stack):
    """py-evm's stack with a fast way to pop and push numbers, the most frequent actions of bytecode."""

    def __init__(self, words: list[int | bytes]) -> None:
        self.values, self._append, self._pop = words, words.append, words.pop
        self.__len__ = words.__len__

    def pop_ints(self, num_items: int) -> tuple[int, ...]:
        words = self.values
        if num_items > len(words):
            raise InsufficientStack(f"Wanted {num_items} stack items, only had {len(words)}")
        popped = words[: -num_items - 1 : -1]
        del words[-num_items:]
        return tuple([x if isinstance(x, int) else int.from_bytes(x) for x in popped])

    def pop1_int(self) -> int:
        words = self.values
        if not words:
            raise InsufficientStack("Wanted 1 stack item, had none")
        word = words.pop()
        return word if isinstance(word, int) else int.from_bytes(word)

    def push_int(self, value: int) -> None:
        words = self.values
        if len(words) < _MOST and 0 <= value <= UINT_256_MAX:
            words.append(value)
        else:
            super().push_int(value)  # raises, with the reason


class FastMemory(Memory):
    """py-evm's memory with a fast way to extend it."""

    def grow(self, size: int) -> None:
        """Add this many bytes."""
        try:
            self._bytes.extend(bytes(size))
        except BufferError:  # an operation has a view of it
            self._bytes = self._bytes + bytes(size)


class Meter(GasMeter):
    """py-evm's gas meter, for gas that is valid."""

    def __init__(self, gas: int) -> None:
        self.start_gas = self.gas_remaining = gas
        self.gas_refunded = 0
