"""The loop that runs bytecode and the memory of messages, compared with py-evm's own."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from eth.vm.computation import BaseComputation
from eth.vm.forks.prague.computation import PragueComputation

from chain import Chain
from chain.machine.evm.messages import Computation
from tests.chain.helpers import Code

# Operations that are frequent, use memory, jump, send messages, halt, or do not exist; 60 and 7f push.
FREQUENT = bytes.fromhex(
    "0102031014151617192030343538505152535455565758595a5b5f60607f81809181a0f3fd00fe0c3d3e37f1f0fa5c5d5e"
)


def by_py_evm(cls: Any, *args: Any, **named: Any) -> Any:
    return PragueComputation.apply_computation.__func__(cls, *args, **named)  # type: ignore[attr-defined]


def outcome(chain: Chain, code: bytes, gas: int) -> tuple[object, ...]:
    there = chain.accounts[5]
    with chain.anchor():
        chain.set_code(there, code)
        frame, logs = chain.call(there, bytes(range(64)), gas=gas)
        return frame.gas, frame.output, frame.failure, tuple(logs), len(frame.children)


def of_both(chain: Chain, code: bytes, gas: int = 50_000) -> tuple[object, ...]:
    """Return the outcome of some code, which must also be that of py-evm's loop and memory."""
    here = outcome(chain, code, gas)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Computation, "apply_computation", classmethod(by_py_evm))
        patch.setattr(Computation, "extend_memory", BaseComputation.extend_memory)
        assert here == outcome(chain, code, gas), f"{code.hex()} with {gas} gas"
    return here


def test_random_bytecode_has_the_same_outcome(chain: Chain) -> None:
    random, kinds = Random(7), set()
    for _ in range(300):
        code = bytes([0x60, random.randrange(64)] * 6)  # some numbers to work on
        code += bytes(random.choices(FREQUENT, k=random.randrange(40)))
        _, _, failure, *_ = of_both(chain, code, random.choice((30, 300, 3_000, 100_000)))
        kinds.add(getattr(failure, "kind", None))
    assert kinds == {None, "halt", "out of gas", "revert"}


@pytest.mark.parametrize(
    ("items", "kind"),
    [
        ((), None),
        ((1,), None),  # it ends without STOP
        ((1, 2**255, "MSTORE"), "out of gas"),
        ((0, 2**256 - 1, "MLOAD"), "out of gas"),
        ((5, "MLOAD", 5, "MLOAD", 64, 0, "RETURN"), None),
        ((0, 2**255, "RETURN"), None),  # nothing, from far away
        ((99, "JUMP"), "halt"),
        (("POP",), "halt"),
        ((0, 0, "REVERT"), "revert"),
    ],
)
def test_ends_of_bytecode_are_the_same(
    chain: Chain, evm: Code, items: tuple[str | int, ...], kind: str | None
) -> None:
    _, _, failure, *_ = of_both(chain, evm(*items))
    assert getattr(failure, "kind", None) == kind


def test_a_number_is_cut_off_at_the_end_of_the_code(chain: Chain) -> None:
    assert of_both(chain, b"\x61\x01")[2] is None  # PUSH2 of one byte


def test_gas_runs_out_at_each_operation(chain: Chain, evm: Code) -> None:
    code = evm(1, 2, "ADD", 0, "MSTORE", 32, 0, "SHA3", 32, 0, "RETURN")
    kinds = [getattr(of_both(chain, code, gas)[2], "kind", None) for gas in range(1, 80)]
    assert kinds == sorted(kinds, key=lambda kind: kind is None)
    assert {*kinds} == {"out of gas", None}
