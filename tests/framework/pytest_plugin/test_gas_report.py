"""The gas report of the pytest plugin, and its comparison with a snapshot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import hypothesis.stateful  # noqa: F401  # here, or each run below would import it again
import pytest

from chain import pytest_plugin

pytest_plugins = ["pytester"]
Run = Callable[..., pytest.RunResult]


ROOT = Path(pytest_plugin.__file__).parents[2]


GAS_TESTS = """
    @pytest.fixture
    def counter(deploy):
        return deploy(Counter)

    def test_one(counter):
        counter.add(1)
        counter.add(1)

    def test_two(chain, counter):
        with chain.anchor():
            counter.add(300)
        counter.add(13, check=False)

    def test_own_chain():
        Chain().deploy(Counter).add(0)

    @given(st.integers(20, 99))
    def test_sample(n):
        Chain().deploy(Counter).add(n)
"""


def gas_of(result: pytest.RunResult) -> dict[str, str]:
    lines = [line.split() for line in result.outlines if line.startswith("Counter.")]
    return {line[0]: " ".join(line[1:]) for line in lines}


def test_gas_is_reported_by_entry(run: Run) -> None:
    gas = gas_of(run(GAS_TESTS, options=["--gas-report"]))
    assert gas["Counter.deploy"].startswith("3 ")
    calls, least, middle, most = map(int, gas["Counter.add"].split())
    assert calls == 4 and 21_000 < least < middle < most


def test_gas_is_not_reported_unless_asked_for(run: Run) -> None:
    assert not gas_of(run(GAS_TESTS))


def test_gas_is_summed_over_processes(
    run: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = run(GAS_TESTS, options=["--gas-report"])
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    options = ("-p", "no:boardchain", "-p", "chain.pytest_plugin", "-p", "no:cacheprovider")
    shared = pytester.runpytest_subprocess(*options, "-n", "2", "--gas-report")
    assert gas_of(alone) == gas_of(shared) != {}


def test_gas_is_held_to_a_snapshot(run: Run) -> None:
    options = ["--gas-snapshot", "gas.txt"]
    assert run(GAS_TESTS, options=options).ret == 0
    assert run(GAS_TESTS, options=options).ret == 0
    result = run(GAS_TESTS.replace("counter.add(1)", "counter.add(0)", 1), options=options)
    assert result.ret == 1
    result.stdout.re_match_lines(
        [".*gas differs from gas.txt", r"Counter.add: median \d+ -> \d+ \([-+]\d+\)"]
    )


def test_gas_snapshots_show_what_came_and_went(run: Run, pytester: pytest.Pytester) -> None:
    pytester.maketxtfile(gas="entry calls min median max\nCounter.old 1 2 2 2\n")
    result = run(GAS_TESTS, options=["--gas-snapshot", "gas.txt"])
    result.stdout.fnmatch_lines(
        [
            "Counter.add: is new, calls 4, *",
            "Counter.deploy: is new,*",
            "Counter.old: is not called any more",
        ]
    )


def test_gas_snapshots_are_read_with_care(run: Run, pytester: pytest.Pytester) -> None:
    pytester.maketxtfile(gas="entry calls min median max\nCounter.add 1 2\n")
    result = run(GAS_TESTS, options=["--gas-snapshot", "gas.txt"])
    assert result.ret == 1
    result.stdout.fnmatch_lines(["no line of a gas snapshot: 'Counter.add 1 2'"])
