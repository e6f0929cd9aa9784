"""Bytecode beside Python: a Vyper contract and a Python contract call, pay, create and refuse each other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import vyper

from chain import (
    Chain,
    InvalidTransaction,
)  # fmt: skip
from chain.metering.program import program_of
from chain.simulator.handle import Handle
from tests.chain.helpers import failure_of
from tests.chain.machine.asker import (
    ZERO,
    Asker,
    Foreign,
    Said,
    answered,
    asker_call,
    line_with,
    relay_call,
)

RELAY = (Path(__file__).parents[1] / "relay.vy").read_text("utf-8")


@pytest.fixture(scope="module")
def compiled() -> dict[str, Any]:
    compiled: dict[str, Any] = vyper.compile_code(RELAY, output_formats=["abi", "bytecode"])
    return compiled


@pytest.fixture(scope="module")
def initcode(compiled: dict[str, Any]) -> Callable[[int], bytes]:
    """Init code of the relay, for the word it begins with."""
    return lambda word: bytes.fromhex(compiled["bytecode"][2:]) + word.to_bytes(32)


@pytest.fixture
def chain(compiled: dict[str, Any]) -> Chain:
    chain = Chain(guard=False)  # they reach behind their classes
    chain.ledger.register_abi(compiled["abi"])
    return chain


@pytest.fixture
def relay(chain: Chain, initcode: Callable[[int], bytes]) -> Foreign:
    return Foreign(chain, chain.send(None, initcode(7)).address)


@pytest.fixture
def asker(chain: Chain, relay: Foreign) -> Handle:
    return chain.deploy(Asker, relay.address)


def word(contract: Foreign) -> int:
    return contract.chain.storage(contract.address, 0)


def count(asker: Handle, chain: Chain) -> int:
    return chain.storage(asker.address, 1)


# Calls between them


def test_bytecode_keeps_its_word(relay: Foreign) -> None:
    before = word(relay)
    receipt = relay.put(5)
    assert (before, receipt.ok, word(relay)) == (7, True, 5)


def test_python_calls_bytecode(asker: Handle, relay: Foreign) -> None:
    receipt = asker.put(5)
    assert (receipt.return_value, word(relay)) == (5, 5)


def test_logs_keep_their_order(asker: Handle) -> None:
    events = asker.put(5).events
    assert [getattr(e, "what", "Relayed") for e in events] == [1, "Relayed", 3]


def test_views_read_bytecode(asker: Handle, relay: Foreign) -> None:
    relay.put(8)
    assert asker.peek() == 8


def test_bytecode_calls_python(asker: Handle, relay: Foreign) -> None:
    receipt = relay.relay(asker.address, asker_call("add", 4))
    assert int.from_bytes(answered("relay", receipt)) == 4
    assert [type(e).__name__ for e in receipt.events] == ["Said", "DecodedAbiEvent"]


def test_value_is_sent_both_ways(chain: Chain, asker: Handle, relay: Foreign) -> None:
    receipt = asker.pay(30, value=100)
    assert receipt.return_value == 100
    assert (chain.balance(asker.address), chain.balance(relay.address)) == (100, 0)


def test_bytecode_borrows_python_code(chain: Chain, asker: Handle, relay: Foreign) -> None:
    (borrowed,) = relay.lend(asker.address, asker_call("add", 4)).calls
    assert (chain.storage(relay.address, 1), count(asker, chain)) == (4, 0)
    assert (borrowed.kind, borrowed.address, borrowed.program and borrowed.program.spec.name) == (
        "delegate",
        relay.address,
        "Asker",
    )


def test_calls_form_one_tree(asker: Handle, relay: Foreign) -> None:
    (outer,) = relay.relay(asker.address, asker_call("put", 3)).calls
    assert (outer.program and outer.program.spec.name, outer.address) == ("Asker", asker.address)
    assert [(inner.kind, inner.address) for inner in outer.calls] == [("call", relay.address)] * 2


# Refusals


def test_bytecode_catches_python(chain: Chain, asker: Handle, relay: Foreign) -> None:
    receipt = relay.attempt(asker.address, asker_call("fail", 0))
    assert answered("attempt", receipt)[0] is False
    assert (word(relay), count(asker, chain), list(receipt.events)) == (9, 0, [])
    assert receipt.undone_events == [Said(99)]


def test_python_catches_bytecode(chain: Chain, asker: Handle, relay: Foreign) -> None:
    receipt = asker.attempt(relay_call("refuse"))
    assert receipt.return_value == "Not so"
    assert (count(asker, chain), word(relay)) == (1, 7)


def test_refusals_name_python_lines(asker: Handle, relay: Foreign) -> None:
    error = failure_of(relay.relay(asker.address, asker_call("fail", 0)))
    assert (error.kind, error.text) == ("revert", "No more")
    assert error.place.endswith(f"asker.py:{line_with('No more')}")


def test_exceptions_name_python_lines(asker: Handle, relay: Foreign) -> None:
    error = failure_of(relay.relay(asker.address, asker_call("fail", 2)))
    assert (error.kind, error.text) == ("exception", "IndexError: pop from empty list")
    assert error.line == line_with("[].pop()")


def test_declared_errors_pass_through(asker: Handle) -> None:
    assert asker.expect_broke().return_value == 5


def test_bytecode_refusals_are_read(relay: Foreign) -> None:
    error = failure_of(relay.refuse())
    assert (error.kind, error.text, error.place) == ("revert", "Not so", "")


def test_refused_bytecode_is_undone(
    chain: Chain, relay: Foreign, initcode: Callable[[int], bytes]
) -> None:
    receipt = chain.send(None, initcode(13), value=9)
    assert (receipt.ok, failure_of(receipt).text) == (False, "Thirteen")
    assert chain.balance(receipt.address) == 0 and chain.code(receipt.address) == b""


def test_reentry_is_refused(asker: Handle, relay: Foreign) -> None:
    error = asker.around(asker_call("put", 1), check=False).error
    assert error.text.startswith("Asker.put cannot be re-entered: Asker is still busy with a call")


def test_reentry_may_be_open(chain: Chain, asker: Handle) -> None:
    receipt = asker.around(asker_call("add", 4))
    assert (int.from_bytes(receipt.return_value), count(asker, chain)) == (5, 5)


def test_views_stay_static_below(asker: Handle, relay: Foreign) -> None:
    assert not asker.sneak.simulate().ok
    assert word(relay) == 7


def test_static_calls_hold_python(chain: Chain, asker: Handle, relay: Foreign) -> None:
    receipt = relay.look(asker.address, asker_call("add", 4))
    assert (receipt.ok, failure_of(receipt).text) == (False, "Asker.add is a view and cannot write")
    assert count(asker, chain) == 0


def test_value_is_refused(asker: Handle, relay: Foreign) -> None:
    error = failure_of(relay.relay(asker.address, asker_call("put", 1), value=3))
    assert (error.kind, error.text) == ("refused", "Asker.put takes no value: it is not payable")


# Gas


def test_spent_bytecode_is_caught(chain: Chain, asker: Handle, relay: Foreign) -> None:
    receipt = asker.attempt(relay_call("spin"))
    assert (receipt.ok, word(relay), count(asker, chain)) == (True, 7, 1)
    assert receipt.gas_used > 200_000 - 200_000 // 32


def test_spent_python_is_caught(chain: Chain, asker: Handle, relay: Foreign) -> None:
    receipt = relay.attempt(asker.address, asker_call("spin"), gas=400_000)
    assert (receipt.ok, answered("attempt", receipt)[0], count(asker, chain)) == (True, False, 0)
    assert getattr(receipt.calls[0].error, "kind", None) == "out of gas"


def test_out_of_gas_transactions_are_reported(relay: Foreign) -> None:
    receipt = relay.spin(gas=100_000)
    assert (failure_of(receipt).kind, receipt.gas_used) == ("out of gas", 100_000)


# Creation


def test_bytecode_makes_python(chain: Chain, asker: Handle, relay: Foreign) -> None:
    code = program_of(Asker).initcode + bytes(12) + relay.address
    made = chain.handle(Asker, answered("make", relay.make(code)))
    assert made.put(3).return_value == 3


def test_bytecode_makes_python_at(chain: Chain, asker: Handle, relay: Foreign) -> None:
    code = program_of(Asker).initcode + bytes(12) + relay.address
    made = [answered("try_make", relay.try_make(code, bytes(32))) for _ in range(2)]
    assert (chain.code(made[0]), made[1]) == (program_of(Asker).code, ZERO)


def test_unknown_python_is_refused(chain: Chain, relay: Foreign) -> None:
    count = len(chain.receipts)
    with pytest.raises(InvalidTransaction, match="was declared on this chain: pass its class"):
        relay.make(program_of(Asker).initcode)
    assert len(chain.receipts) == count


def test_python_makes_bytecode(
    chain: Chain, asker: Handle, initcode: Callable[[int], bytes]
) -> None:
    address = asker.build(initcode(4), 0).return_value
    assert (chain.storage(address, 0), chain.nonce(address)) == (4, 1)


def test_refused_creation_gives_back(
    chain: Chain, asker: Handle, initcode: Callable[[int], bytes]
) -> None:
    receipt = asker.build(initcode(13), 50, value=50)
    assert (receipt.return_value, chain.balance(asker.address)) == (ZERO, 50)
    assert chain.nonce(asker.address) == 2


def test_creation_pays_along(chain: Chain, asker: Handle, initcode: Callable[[int], bytes]) -> None:
    address = asker.build(initcode(4), 50, value=50).return_value
    assert (chain.balance(asker.address), chain.balance(address)) == (0, 50)


# Transient storage


def test_transient_words_are_undone_with_failures(asker: Handle) -> None:
    assert asker.hold(3).return_value == 3


def test_transient_words_end_with_transactions(chain: Chain, relay: Foreign) -> None:
    with chain.block():
        relay.hold(3)
        assert answered("held", relay.held()) == 0
