"""Programs that try to take more than their fuel pays for end as out of gas, in the time of a plain loop, in bounded memory."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from chain import Chain, Contract, call
from chain.metering import fuel
from chain.metering.regex_backtracking import tries_of
from chain.simulator.handle import Handle
from chain.types import u64
from tests.chain.metering.fuel_attacks import Burnt, deployed, programs

GAS = 300_000  # a hundredth of a block
MEGABYTES = 256
PLAIN = "base_endless_loop"
NAMES = list(programs())


def test_there_are_many() -> None:
    assert len(NAMES) == 360


@pytest.mark.parametrize("name", NAMES)
def test_bomb_is_out_of_gas(name: str, tmp_path: Path) -> None:
    bomb = deployed(name, tmp_path)
    tracemalloc.start()
    first = bomb.go(gas=GAS, check=False)
    size = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    second = bomb.go(gas=GAS, check=False)
    assert (first.error.kind, first.ticks) == ("out of gas", (GAS - 21_064) // fuel.GAS_PER_TICK)
    assert (second.error.kind, second.ticks) == ("out of gas", first.ticks)
    assert size < MEGABYTES * 2**20 // 50


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_bomb_is_not_slower_than_a_loop(name: str) -> None:
    """With the gas of a block, in a process that may have no more than this."""
    plain, burnt = _in_a_process(PLAIN), _in_a_process(name)
    assert burnt.outcome.startswith("out of gas") and burnt.ticks == plain.ticks
    assert burnt.seconds <= 2 * plain.seconds + 0.05
    assert burnt.megabytes <= MEGABYTES


def _in_a_process(name: str) -> Burnt:
    script = Path(__file__).with_name("fuel_attacks.py")
    done = subprocess.run(
        [sys.executable, str(script), name], capture_output=True, text=True, timeout=120, preexec_fn=_bounded, check=True
    )  # fmt: skip
    seconds, megabytes, ticks, outcome = done.stdout.strip().split("\t")
    return Burnt(outcome, int(ticks), float(seconds), int(megabytes))


def _bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))


class Honest(Contract):
    """A contract whose bounded work is not charged more."""

    @call
    def sums(self) -> u64:
        total = 0
        for n in range(10):
            total += n * n - 1
        return total

    @call
    def stores(self) -> str:
        some = {"a": [1]}
        some["a"] += [2]
        some["a"][0] -= 3
        some["b"] = [each * 2 for each in some["a"]]
        return f"{some['a']} {some['b']} {len(some):>3}"

    @call
    def places(self) -> str:
        letter: object = "a"
        step = range(10, 20, 3)
        found = [n for n in (9, 10, 13, True) if n in step]
        return f"{found} {step.index(16)} {step.count(11)} {letter in step}"

    @call
    def methods(self) -> str:
        join, upper = ",".join, str.upper
        table = dict.fromkeys("ab", 1)
        return join(map(upper, sorted(table, key=str, reverse=True)))

    @call
    def sets(self) -> str:
        left, right = {1, 2, 3}, {2, 3, 4}
        left |= {9}
        return f"{sorted(left - right)} {sorted(left & right)} {sorted(left ^ right)}"


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("sums", 275),
        ("stores", "[-2, 2] [-4, 4]   2"),
        ("places", "[10, 13] 2 0 False"),
        ("methods", "B,A"),
        ("sets", "[1, 9] [2, 3] [1, 4, 9]"),
    ],
)
def test_honest_work_comes_to_the_same(name: str, result: object) -> None:
    honest: Handle = Chain(guard=False).deploy(Honest)
    assert getattr(honest, name)().return_value == result


@pytest.mark.parametrize(
    ("pattern", "ways"),
    [
        (r"\d+,", 1),
        (r'"(?:[^"\\]|\\.)*"', 1),
        (r"(\w+)\s*=\s*(\d+)$", 1),
        ("a*a*b", 33),
        ("(?i)a*A", 33),
        ("(a|ab)*c", 2**32),
        ("(a+)+$", 2**40),
    ],
)
def test_pattern_shows_its_ways(pattern: str, ways: int) -> None:
    assert tries_of(re.compile(pattern), 5).ways == ways
