"""Basic blocks of bytecode, compiled to Python functions once they have run some times.

A block is a run of simple operations, those on the stack, the memory, the calldata and the words of storage, up to one that
only py-evm runs. A jump to a known position is followed, and one that depends on a word leaves the block if it is taken. It is
known in advance where each operation finds its words, so words are local variables. The stack is checked once; if it does not
suffice for the whole block, the operations run one by one, and fail where they must. The gas for all operations up to the next
branch is charged at once. That is exact: none of them reads the gas that is left or fails for another reason, and a message
that runs out of gas loses all of it, wherever that happens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from typing import Any, Final, TypeAlias, cast

from eth.exceptions import OutOfGas
from eth.vm import opcode_values as ops

from chain.machine.evm.forks import OPERATIONS

# Takes the computation, its stack and its gas meter; returns the position after it, or `END`.
Block: TypeAlias = Callable[[Any, list[int], Any], int]

END: Final = -1
_RUNS: Final = 16  # of a block before it is compiled, which takes as long as these
_MOST_BLOCKS: Final = 1_000  # compiled ones of a code
_MOST_CODES: Final = 64
_LENGTH: Final = 64  # operations of a block at most
_STACK: Final = 1024  # words
_WORD: Final = 32  # bytes

# The results of operations in terms of the words that they take, the top one first.
_RESULTS: Final[Mapping[int, tuple[int, str]]] = {
    ops.ADD: (2, "{0} + {1} & MAX"),
    ops.MUL: (2, "{0} * {1} & MAX"),
    ops.SUB: (2, "{0} - {1} & MAX"),
    ops.DIV: (2, "{0} // {1} if {1} else 0"),
    ops.MOD: (2, "{0} % {1} if {1} else 0"),
    ops.ADDMOD: (3, "({0} + {1}) % {2} if {2} else 0"),
    ops.MULMOD: (3, "{0} * {1} % {2} if {2} else 0"),
    ops.SIGNEXTEND: (
        2,
        "({1} & (2 << 8 * {0} + 7) - 1 ^ 1 << 8 * {0} + 7) - (1 << 8 * {0} + 7) & MAX if {0} < 31 else {1}",
    ),
    ops.LT: (2, "1 if {0} < {1} else 0"),
    ops.GT: (2, "1 if {0} > {1} else 0"),
    ops.SLT: (2, "1 if {0} ^ SIGN < {1} ^ SIGN else 0"),
    ops.SGT: (2, "1 if {0} ^ SIGN > {1} ^ SIGN else 0"),
    ops.EQ: (2, "1 if {0} == {1} else 0"),
    ops.ISZERO: (1, "0 if {0} else 1"),
    ops.AND: (2, "{0} & {1}"),
    ops.OR: (2, "{0} | {1}"),
    ops.XOR: (2, "{0} ^ {1}"),
    ops.NOT: (1, "MAX - {0}"),
    ops.BYTE: (2, "{1} >> 248 - 8 * {0} & 255 if {0} < 32 else 0"),
    ops.SHL: (2, "{1} << {0} & MAX if {0} < 256 else 0"),
    ops.SHR: (2, "{1} >> {0} if {0} < 256 else 0"),
    ops.SAR: (2, "({1} ^ SIGN) - SIGN >> min({0}, 256) & MAX"),
    ops.SHA3: (2, "computation.hash_memory({0}, {1})"),
    ops.ADDRESS: (0, "from_bytes(computation.frame.address)"),
    ops.CALLER: (0, "from_bytes(computation.frame.caller)"),
    ops.CALLVALUE: (0, "computation.frame.value"),
    ops.CALLDATALOAD: (1, "from_bytes(computation.msg.data[{0}:{0} + 32].ljust(32, ZERO))"),
    ops.CALLDATASIZE: (0, "len(computation.msg.data)"),
    ops.RETURNDATASIZE: (0, "len(computation.return_data)"),
    ops.TIMESTAMP: (0, "computation.state.timestamp"),
    ops.NUMBER: (0, "computation.state.block_number"),
    ops.MLOAD: (1, "computation.load_word({0})"),
    ops.SLOAD: (1, "computation.read_storage({0})"),
}
# Operations without a result, and those that end a message.
_ACTIONS: Final[Mapping[int, tuple[int, str]]] = {
    ops.POP: (1, ""),
    ops.JUMPDEST: (0, ""),
    ops.MSTORE: (2, "computation.store_word({0}, {1})"),
    ops.MCOPY: (3, "computation.copy_memory({0}, {1}, {2})"),
    ops.CALLDATACOPY: (3, "computation.copy_to_memory(computation.msg.data, {0}, {1}, {2})"),
    ops.CODECOPY: (3, "computation.copy_to_memory(CODE, {0}, {1}, {2})"),
}
_ENDS: Final[Mapping[int, tuple[int, str]]] = {
    ops.STOP: (0, ""),
    ops.RETURN: (2, "computation._output = computation.read_memory({0}, {1})"),
}
_JUMPS: Final = frozenset({ops.JUMP, ops.JUMPI})
_PUSHES: Final = range(ops.PUSH0, ops.PUSH32 + 1)
_COPIES: Final = range(ops.DUP1, ops.DUP16 + 1)
_SWAPS: Final = range(ops.SWAP1, ops.SWAP16 + 1)
SIMPLE: Final = frozenset({*_RESULTS, *_ACTIONS, *_PUSHES, *_COPIES, *_SWAPS})
_PRICES: Final = {
    evm: {number: cast(Any, operation).gas_cost for number, operation in operations.items()}
    for evm, operations in OPERATIONS.items()
}
_TOOLS: Final[Mapping[str, object]] = {
    "MAX": 2**256 - 1,
    "SIGN": 2**255,
    "ZERO": b"\0",
    "from_bytes": int.from_bytes,
    "OutOfGas": OutOfGas,
}


class Blocks(dict[int, Block]):
    """The compiled blocks of a code, by position. Where there is none yet, operations run one by one."""

    def __init__(self, code: bytes, evm: str) -> None:
        super().__init__()
        self.code, self.prices = code, _PRICES[evm]
        self._runs: dict[int, int] = {}

    def __missing__(self, position: int) -> Block:
        """Compile the block at a position if it has run often enough."""
        self._runs[position] = runs = self._runs.get(position, 0) + 1
        if runs <= _RUNS or len(self) >= _MOST_BLOCKS:
            return lambda computation, _words, _meter: computation.run_plainly(position)
        block = self[position] = _Writer(self, position).compile()
        return block

    @cached_property
    def destinations(self) -> frozenset[int]:
        """The positions to which the code may jump."""
        found, code, position = list[int](), self.code, 0
        while position < len(code):
            if code[position] == ops.JUMPDEST:
                found.append(position)
            position += _size(code[position])
        return frozenset(found)


@lru_cache(maxsize=_MOST_CODES)
def blocks_of(code: bytes, evm: str) -> Blocks:
    """Return the blocks of a deployed code, under the forks with these operations."""
    return Blocks(code, evm)


def _size(opcode: int) -> int:
    """Return the bytes of an operation, with those that it pushes."""
    return opcode - ops.PUSH0 + 1 if opcode in _PUSHES else 1


class _Writer:
    """The source of one block."""

    def __init__(self, blocks: Blocks, position: int) -> None:
        self._code, self._prices, self._targets = blocks.code, blocks.prices, blocks.destinations
        self._start = self._position = position
        self._taken = 0  # words of the stack before the block that are used
        self._growth = 0  # words by which the stack grows at most
        self._words: list[str] = []  # names or numbers of the used words and of those above
        self._lines: list[str] = []
        self._gas = 0  # of the operations since the last branch
        self._stretch = 0  # the first line since then

    def compile(self) -> Block:
        """Return the function that runs the block."""
        self._write()
        self._charge()
        names = {**_TOOLS, "CODE": self._code, "DESTINATIONS": self._targets}
        source = "\n ".join(["def block(computation, words, meter):", *self._head(), *self._lines])
        exec(source, names)
        return cast(Block, names["block"])

    def _write(self) -> None:
        """Write the operations of the block, up to its end."""
        for _ in range(_LENGTH):
            opcode = self._opcode()
            if not (opcode in SIMPLE or opcode in _JUMPS or opcode in _ENDS):
                self._lines += self._leave(f"computation.run_plainly({self._position})")
                return
            self._gas += self._prices[opcode]
            if opcode in _ENDS:
                self._lines += [*self._act(*_ENDS[opcode]), f"return {END}"]
                return
            if opcode == ops.JUMP:
                (target,) = self._take(1)
                if not self._is_known(target):
                    self._lines += self._leave(self._jump(target))
                    return
                self._position = int(target, 16)
            elif opcode == ops.JUMPI:
                self._branch()
            else:
                self._simple(opcode)
        self._lines += self._leave(f"{self._position}")

    def _opcode(self) -> int:
        return self._code[self._position] if self._position < len(self._code) else ops.STOP

    def _simple(self, opcode: int) -> None:
        words, start = self._words, self._position + 1
        self._position += _size(opcode)
        if opcode in _PUSHES:
            size = opcode - ops.PUSH0
            words.append(hex(int.from_bytes(self._code[start : start + size].ljust(size, b"\0"))))
        elif opcode in _COPIES:
            depth = opcode - ops.DUP1 + 1
            self._reach(depth)
            words.append(words[-depth])
        elif opcode in _SWAPS:
            depth = opcode - ops.SWAP1 + 2
            self._reach(depth)
            words[-1], words[-depth] = words[-depth], words[-1]
        elif opcode in _ACTIONS:
            self._lines += self._act(*_ACTIONS[opcode])
        else:
            (result,) = self._act(*_RESULTS[opcode])
            words.append(f"r{len(self._lines)}")
            self._lines.append(f"{words[-1]} = {result}")
        self._growth = max(self._growth, len(words) - self._taken)

    def _branch(self) -> None:
        """Write a jump that depends on a word."""
        self._position += 1
        target, condition = self._take(2)
        leaving = self._leave(self._jump(target))
        self._charge()
        self._lines += [f"if {condition}:", *(f" {line}" for line in leaving)]
        self._stretch = len(self._lines)

    def _is_known(self, target: str) -> bool:
        """Return True if a jump to this word always succeeds."""
        return target.startswith("0x") and int(target, 16) in self._targets

    def _jump(self, target: str) -> str:
        """Return the expression of the position after a jump, which may fail."""
        known = self._is_known(target)
        return (
            target
            if known
            else f"{target} if {target} in DESTINATIONS else computation.jump({target})"
        )

    def _charge(self) -> None:
        """Charge for the operations since the last branch before the first of them runs."""
        if self._gas:
            self._lines[self._stretch : self._stretch] = [
                f"gas = meter.gas_remaining - {self._gas}",
                "if gas < 0: raise OutOfGas",
                "meter.gas_remaining = gas",
            ]
        self._gas = 0

    def _act(self, count: int, text: str) -> list[str]:
        words = self._take(count)
        return [text.format(*words)] if text else []

    def _take(self, count: int) -> list[str]:
        """Remove words from the stack, and return them, the top one first."""
        self._reach(count)
        return [self._words.pop() for _ in range(count)]

    def _reach(self, depth: int) -> None:
        """Use more of the words before the block, if the stack has fewer than `depth`."""
        while len(self._words) < depth:
            self._taken += 1
            self._words.insert(0, f"w{self._taken}")

    def _before(self) -> list[str]:
        """Return the names of the used words as they are on the stack before the block."""
        return [f"w{number}" for number in range(self._taken, 0, -1)]

    def _head(self) -> list[str]:
        """Return the lines that check the stack and read it."""
        taken, most = self._taken, _STACK - self._growth
        lines = [
            f"if not {taken} <= len(words) <= {most}: return computation.run_plainly({self._start})"
        ]
        return [*lines, f"{', '.join(self._before())}, = words[-{taken}:]"] if taken else lines

    def _leave(self, position: str) -> list[str]:
        """Return the lines that put words onto the stack, except those that stay where they are, and return a position."""
        before, after = self._before(), self._words
        while before and after and before[0] == after[0]:
            before, after = before[1:], after[1:]
        lines = [f"return {position}"]
        if before:
            return [f"words[-{len(before)}:] = [{', '.join(after)}]", *lines]
        return [f"words += [{', '.join(after)}]", *lines] if after else lines
