"""Endless work in a contract ends out of gas, at the exact tick, with the state unchanged."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from itertools import repeat
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain import Chain
from chain.errors import OutOfGas
from chain.machine.gas import TOKEN, TRANSACTION, calldata_tokens
from chain.metering.fuel import (
    GAS_PER_TICK,
    HALVES,
    INSTRUMENTED_BUILTINS,
    LARGEST,
    TANKS,
    change,
    charge,
    remaining,
    resume,
    set_fuel,
    steps_of,
    suspend,
    take_turn,
)
from chain.rpc.errors import REFUSED
from chain.rpc.server.listener import Settings
from chain.rpc.server.server import Server
from chain.simulator.handle import Handle
from tests.chain.metering.fuel_burners import BURNERS, Stove

GAS = 600_000


@pytest.fixture
def chain() -> Chain:
    return Chain(guard=False)  # which would not let the stove pass


@pytest.fixture
def stove(chain: Chain) -> Handle:
    made = chain.deploy(Stove)
    made.light()
    return made


@pytest.mark.parametrize("name", BURNERS)
def test_burner_is_out_of_gas(stove: Handle, name: str) -> None:
    receipt = getattr(stove, name)(gas=GAS, check=False)
    ticks = (GAS - TRANSACTION - TOKEN * calldata_tokens(receipt.data)) // GAS_PER_TICK
    assert (receipt.error.kind, receipt.gas_used, receipt.ticks) == ("out of gas", GAS, ticks)
    assert stove.fields.lit == 1
    assert stove.light().return_value == 2


# Tanks


def step(worth: int) -> None:
    """Take ticks as an instrumented copy does at the start of a stretch of code."""
    assert 0 in INSTRUMENTED_BUILTINS[TANKS[worth]] or change(worth)


@pytest.mark.parametrize("size", [0, 1, 63, 64, 500, 6 * 2**18 - 1, 6 * 2**18, 10**7])
@pytest.mark.parametrize("worths", [*([worth] for worth in TANKS), [1, 64], [64, 32, 16, 16, 1]])
def test_tanks_are_dry_when_they_hold_less_than_is_asked(size: int, worths: list[int]) -> None:
    outside = suspend()
    try:
        set_fuel(size)
        expected = size
        for worth in itertools.islice(itertools.cycle(worths), 20_000):
            assert remaining() == expected
            if worth > expected:
                with pytest.raises(OutOfGas):
                    step(worth)
                assert remaining() == 0
                break
            step(worth)
            expected -= worth
    finally:
        resume(outside)


def turn() -> None:
    """Take half a tick, as an instrumented copy does in a turn of a `while` loop that does next to nothing."""
    for _ in INSTRUMENTED_BUILTINS[HALVES]:
        return
    take_turn()


@given(st.integers(0, 700), st.lists(st.sampled_from([0, 0, 0, *TANKS]), max_size=60), st.data())
def test_a_turn_takes_half_a_tick(size: int, worths: list[int], data: st.DataObject) -> None:
    """Whatever else is taken in between, and wherever the counting is suspended."""
    outside, halves = suspend(), 2 * size
    try:
        set_fuel(size)
        for worth in worths * 8:
            price = 2 * worth or 1
            if halves < price:
                with pytest.raises(OutOfGas):
                    step(worth) if worth else turn()
                assert remaining() == 0
                break
            step(worth) if worth else turn()
            halves -= price
            assert remaining() == halves // 2
            if data.draw(st.booleans()):
                resume(suspend())
    finally:
        resume(outside)


@pytest.mark.parametrize("ticks", [1, 3, 8, LARGEST, LARGEST + 1, 1000, 20_000])
def test_a_charge_is_the_same_with_change(ticks: int) -> None:
    outside = suspend()
    try:
        set_fuel(10**7)
        charge(ticks)
        plain = 10**7 - remaining()
        set_fuel(10**7)
        for tank in list(TANKS.values())[1:]:
            INSTRUMENTED_BUILTINS[tank] = repeat(0, 0)
        INSTRUMENTED_BUILTINS[TANKS[1]] = repeat(0, 0 if ticks == 1 else 10**7)
        INSTRUMENTED_BUILTINS[TANKS[16]] = repeat(0, 10**6)
        before = remaining()
        charge(ticks)
        assert ticks <= plain == before - remaining() < 2 * ticks + 1
    finally:
        resume(outside)


def price_of(ticks: int) -> int:
    """What a charge takes: as many ticks as the next tank holds, the whole largest tanks, or exactly so many."""
    if ticks > LARGEST:
        return ticks if ticks > 256 * LARGEST else -(-ticks // LARGEST) * LARGEST
    return next(worth for worth in (1, 2, 4, 8, 16, LARGEST) if ticks <= worth)


def test_lines_take_these_ticks() -> None:
    """Those of a stretch of code, which gas depends on."""
    for ticks in range(1, 500):
        whole, rest = divmod(ticks, LARGEST)
        steps = whole + (rest > 0) + (16 < rest <= 32)
        expected = 32 if 16 < rest <= 32 else price_of(rest) if rest else 0
        assert sum(steps_of(ticks)) == (whole * LARGEST + expected if steps <= 6 else 0)


@given(st.integers(-1, 40_000), st.integers(0, 12), st.integers(0, 3000))
def test_a_charge_takes_from_all_tanks(ticks: int, largest: int, singles: int) -> None:
    """However many zeros are in the tanks that it tries first. A charge of less than a tick takes one."""
    outside = suspend()
    try:
        price = price_of(ticks)
        set_fuel(10**7)
        charge(ticks)
        assert 10**7 - remaining() == price
        for tank in TANKS.values():
            INSTRUMENTED_BUILTINS[tank] = repeat(0, 0)
        INSTRUMENTED_BUILTINS[TANKS[LARGEST]] = repeat(0, largest)
        INSTRUMENTED_BUILTINS[TANKS[1]] = repeat(0, singles)
        before = remaining()
        if before < price:
            with pytest.raises(OutOfGas):
                charge(ticks)
            assert remaining() == 0
        else:
            charge(ticks)
            assert before - remaining() == price
    finally:
        resume(outside)


# From outside

Ask = Callable[..., Any]


@pytest.fixture
def ask(chain: Chain, stove: Handle) -> Iterator[Ask]:
    """A client of a node with the stove. After a minute it considers the node hung."""
    with Server(chain, Settings(port=0)).in_thread() as url:
        line = HTTPConnection(urlsplit(url).netloc, timeout=60)

        def ask(method: str, *params: Any) -> Any:
            asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            line.request("POST", "/", json.dumps(asked))
            answer = json.loads(line.getresponse().read())
            return answer.get("result", answer.get("error"))

        yield ask
        line.close()


def burning(stove: Handle, name: str, **fields: str) -> dict[str, str]:
    data = getattr(stove, name).calldata()
    return {"to": str(stove.address), "data": f"0x{data.hex()}", **fields}


@pytest.mark.parametrize("name", [*BURNERS, "look"])
def test_node_outlives_burner(ask: Ask, stove: Handle, name: str) -> None:
    limited = burning(stove, name, gas=hex(GAS))
    for method in ("eth_call", "eth_estimateGas"):
        told = ask(method, limited)
        assert (told["code"], "ran out of gas" in told["message"]) == (REFUSED, True)
    receipt = ask("eth_getTransactionReceipt", ask("eth_sendTransaction", limited))
    assert (receipt["status"], receipt["gasUsed"]) == ("0x0", hex(GAS))
    assert int(ask("eth_call", burning(stove, "light")), 16) == 2


@pytest.mark.parametrize("name", ["turn", "call_itself", "add_up", "look"])
@pytest.mark.parametrize("method", ["eth_call", "eth_estimateGas", "eth_sendTransaction"])
def test_a_block_is_all_a_burner_gets(
    chain: Chain, ask: Ask, stove: Handle, method: str, name: str
) -> None:
    """Without a gas limit the transaction is estimated first, and then not sent."""
    told = ask(method, burning(stove, name))
    assert (told["code"], "ran out of gas" in told["message"]) == (REFUSED, True)
    assert ask("eth_blockNumber") == hex(chain.head.number) == "0x2"
