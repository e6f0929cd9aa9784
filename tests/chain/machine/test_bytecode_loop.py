"""The loop that runs bytecode and the memory of messages, compared with py-evm's own."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from eth.vm import opcode_values as ops
from eth.vm.computation import BaseComputation
from eth.vm.forks.prague.computation import PragueComputation

from chain import Chain
from chain.machine.evm import blocks
from chain.machine.evm.messages import Computation
from chain.machine.evm.stack_and_memory import FastMemory
from tests.chain.helpers import Code

# Operations that are frequent, use memory, jump, send messages, halt, or do not exist; 60 and 7f push.
FREQUENT = bytes.fromhex(
    "0102031014151617192030343538505152535455565758595a5b5f60607f81809181a0f3fd00fe0c3d3e37f1f0fa5c5d5e"
)


SIMPLE = sorted(blocks.SIMPLE - {*range(ops.PUSH2, ops.PUSH32 + 1)})
SIZES = range(ops.PUSH1, ops.SWAP16 + 1)
WORDS = (0, 1, 2, 31, 32, 64, 248, 255, 256, 2**64, 2**255 - 1, 2**255, 2**256 - 2, 2**256 - 1)
NEVER = 10**9


def by_py_evm(cls: Any, *args: Any, **named: Any) -> Any:
    return PragueComputation.apply_computation.__func__(cls, *args, **named)  # type: ignore[attr-defined]


def outcome(chain: Chain, code: bytes, gas: int) -> tuple[object, ...]:
    there = chain.accounts[5]
    with chain.anchor():
        chain.set_code(there, code)
        frame, logs = chain.call(there, bytes(range(64)), gas=gas)
        return frame.gas, frame.output, frame.failure, tuple(logs), len(frame.children)


def of_all(chain: Chain, code: bytes, gas: int = 50_000) -> tuple[object, ...]:
    """Return the outcome of some code: the same by single operations, by compiled blocks, and by py-evm's loop and memory."""
    with pytest.MonkeyPatch.context() as patch:
        outcomes = []
        for runs in (NEVER, 0):
            patch.setattr(blocks, "_RUNS", runs)
            blocks.blocks_of.cache_clear()
            outcomes.append(outcome(chain, code, gas))
        patch.setattr(Computation, "apply_computation", classmethod(by_py_evm))
        patch.setattr(Computation, "extend_memory", BaseComputation.extend_memory)
        plain, compiled = outcomes
        assert plain == compiled == outcome(chain, code, gas), f"{code.hex()} with {gas} gas"
    return compiled


def random_code(random: Random) -> bytes:
    """Return some code that works on many words, and jumps."""
    code = bytearray()
    for _ in range(random.choice((2, 18, 30))):
        code += bytes([ops.PUSH1, random.choice((0, 1, 2, 32, random.randrange(256)))])
    while random.randrange(40):
        targets = [place for place, number in enumerate(code) if number == ops.JUMPDEST] or [0]
        code += random.choice(
            (
                bytes([random.choice(SIMPLE)]),
                bytes([random.choice(FREQUENT)]),
                bytes([ops.PUSH1, random.choice((random.randrange(70), ops.JUMPDEST))]),
                bytes([ops.JUMPDEST]),
                bytes([ops.PUSH1, random.choice(targets) & 255, ops.JUMP]),
                bytes([ops.PUSH1, random.randrange(2), ops.PUSH1, random.choice(targets) & 255, ops.JUMPI]),
            )
        )  # fmt: skip
    return bytes(code)


def test_random_bytecode_has_the_same_outcome(chain: Chain) -> None:
    random, kinds = Random(7), set()
    for _ in range(500):
        code, gas = random_code(random), random.choice((30, 300, 3_000, 100_000))
        _, _, failure, *_ = of_all(chain, code, gas)
        kinds.add(getattr(failure, "kind", None))
    assert kinds == {None, "halt", "out of gas", "revert"}


@pytest.mark.parametrize("number", sorted({*blocks.SIMPLE} - {*SIZES}))
def test_simple_operations_do_the_same_with_any_words(chain: Chain, number: int) -> None:
    random = Random(number)
    for _ in range(40):
        words = [random.choice(WORDS).to_bytes(32) for _ in range(4)]
        code = b"".join(bytes([ops.PUSH32]) + word for word in words)
        of_all(chain, code + bytes.fromhex(f"{number:02x}5f52602052604052605f5ff3"))


@pytest.mark.parametrize(
    ("items", "kind"),
    [
        ((), None),
        ((1,), None),  # it ends without STOP
        ((1, 2**255, "MSTORE"), "out of gas"),
        ((0, 2**256 - 1, "MLOAD"), "out of gas"),
        ((5, "MLOAD", 5, "MLOAD", 64, 0, "RETURN"), None),
        ((0, 2**255, "RETURN"), None),  # nothing, from far away
        ((1, 1 << 14, "MSTORE", 1, 1 << 15, "MSTORE", "GAS", 0, "MSTORE", 32, 0, "RETURN"), None),
        ((7, 0, "MSTORE", 1, "MLOAD", 0, "MSTORE", "MSIZE", 32, "MSTORE", 64, 0, "RETURN"), None),
        ((7, 0, "MSTORE", 7, 1, "MSTORE", "MSIZE", 32, "MSTORE", 64, 0, "RETURN"), None),
        ((7, 0, "MSTORE", 33, 0, "RETURN"), None),
        ((99, "JUMP"), "halt"),
        (("POP",), "halt"),
        ((0, 0, "REVERT"), "revert"),
    ],
)
def test_ends_of_bytecode_are_the_same(
    chain: Chain, evm: Code, items: tuple[str | int, ...], kind: str | None
) -> None:
    _, _, failure, *_ = of_all(chain, evm(*items))
    assert getattr(failure, "kind", None) == kind


def test_a_number_is_cut_off_at_the_end_of_the_code(chain: Chain) -> None:
    assert of_all(chain, b"\x61\x01")[2] is None  # PUSH2 of one byte


def test_a_loop_is_compiled_while_it_runs(chain: Chain, evm: Code) -> None:
    code = evm(200) + bytes.fromhex("5b6001900380600257") + evm(0, "MSTORE", 32, 0, "RETURN")
    blocks.blocks_of.cache_clear()
    frame_gas, output, *_ = outcome(chain, code, 50_000)
    assert blocks.blocks_of(code, chain.head.fork.evm).keys() == {2}
    assert (frame_gas, output) == of_all(chain, code)[:2]


def test_gas_runs_out_at_each_operation(chain: Chain, evm: Code) -> None:
    code = evm(1, 2, "ADD", 0, "MSTORE", 32, 0, "SHA3", 32, 0, "RETURN")
    kinds = [getattr(of_all(chain, code, gas)[2], "kind", None) for gas in range(1, 80)]
    assert kinds == sorted(kinds, key=lambda kind: kind is None)
    assert {*kinds} == {"out of gas", None}


def test_memory_grows_beside_a_view_of_it() -> None:
    memory = FastMemory()
    memory.grow(32)
    view = memory.read(0, 32)
    memory.grow(64)
    assert (len(memory), view.tobytes()) == (96, bytes(32))
