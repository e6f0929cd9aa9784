"""Classes inside functions, messages inside messages and powers, as they run on chain."""

from __future__ import annotations

from typing import Any

import pytest

from chain import Chain, Contract, call, reverts, view
from chain.metering.fuel import GAS_PER_TICK
from chain.types import i64, u64
from tests.chain.helpers import failure_of


def test_local_contract_is_counted() -> None:
    seen = []

    def burn(n: int) -> None:
        while n:
            n += 1

    class Local(Contract):
        @call
        def note(self, n: u64) -> u64:
            seen.append(n)
            return n

        @call
        def run(self) -> None:
            burn(1)

        @view
        def turn(self, n: u64) -> u64:
            return sum(each for each in range(n))

    local = Chain(guard=False).deploy(Local)
    assert local.note(4).return_value == 4 and seen == [4]
    assert failure_of(local.run(gas=100_000, check=False)).kind == "out of gas"
    assert local.turn.simulate(100).ticks == local.turn.simulate(0).ticks + 400


# Fuel of messages inside messages


class Inner(Contract):
    @call
    def burn(self) -> None:
        while True:
            pass


class Outer(Contract):
    @call
    def begin(self) -> u64:
        return self.try_it(self.deploy(Inner))

    def try_it(self, address: Any) -> u64:
        try:
            self.at(Inner, address, gas=50_000).burn()
        except Exception:
            return 1
        return 0


def test_message_runs_dry_alone() -> None:
    outer = Chain(guard=False).deploy(Outer)
    receipt = outer.begin()
    assert receipt.return_value == 1
    limit = 50_000 // GAS_PER_TICK
    assert limit <= receipt.ticks < limit + 134
    failure = receipt.calls[-1].error
    assert failure is not None and failure.kind == "out of gas"


def test_ticks_are_not_gas(chain: Chain) -> None:
    class Idle(Contract):
        @call
        def turn(self, n: u64) -> None:
            for _ in range(n):
                pass

    idle = chain.deploy(Idle)
    few, many = idle.turn(1), idle.turn(2)
    assert (few.gas_used, many.ticks) == (many.gas_used, few.ticks + 1)


class Powers(Contract):
    @view
    def by_sign(self, n: i64) -> u64:
        power: u64 = 2**n
        return power

    @view
    def in_place(self, n: i64) -> u64:
        power: u64 = 2
        power **= n
        return power

    @view
    def by_function(self, n: i64) -> u64:
        power: u64 = pow(2, n)
        return power

    @view
    def around(self, n: i64) -> u64:
        return pow(3, n, 7)


@pytest.mark.parametrize("name", ["by_sign", "in_place", "by_function"])
def test_powers_are_whole_numbers(chain: Chain, name: str) -> None:
    power = getattr(chain.deploy(Powers), name)
    assert power(3) == 8
    with reverts("a power with a negative exponent is a float"):
        power(-1)


def test_powers_of_a_ring_are_whole(chain: Chain) -> None:
    assert chain.deploy(Powers).around(-1) == 5
