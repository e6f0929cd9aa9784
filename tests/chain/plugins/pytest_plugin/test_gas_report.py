"""The gas report of the pytest plugin, and its comparison with a snapshot."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import hypothesis.stateful  # noqa: F401  # here, or each run below would import it again
import pytest

pytest_plugins = ["pytester"]
Run = Callable[..., pytest.RunResult]
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


def test_gas_is_reported_only_on_request(run: Run) -> None:
    assert not gas_of(run(GAS_TESTS))


@pytest.mark.usefixtures("alone")
def test_gas_is_summed_over_processes(run: Run, pytester: pytest.Pytester) -> None:
    one = run(GAS_TESTS, options=["--gas-report"])
    options = ("-p", "chain.plugins.pytest_plugin", "-p", "xdist", "-p", "no:cacheprovider")
    shared = pytester.runpytest_subprocess(*options, "-n", "2", "--gas-report")
    assert gas_of(one) == gas_of(shared) != {}


def test_gas_is_held_to_a_snapshot(run: Run) -> None:
    options = ["--gas-snapshot", "gas.txt"]
    assert run(GAS_TESTS, options=options).ret == 0
    assert run(GAS_TESTS, options=options).ret == 0
    result = run(GAS_TESTS.replace("counter.add(1)", "counter.add(0)", 1), options=options)
    assert result.ret == 1
    result.stdout.re_match_lines(
        [".*gas differs from gas.txt", r"Counter.add in \S+::test_one: min \d+ -> \d+ \([-+]\d+\)"]
    )


def test_gas_snapshots_show_what_came_and_went(run: Run, pytester: pytest.Pytester) -> None:
    heads = "entry calls min median max test"
    name = f"{inspect.stack()[0].function}.py::test_one"
    pytester.maketxtfile(
        gas=f"{heads}\nCounter.old 1 2 2 2 {name}\nCounter.x 1 2 2 2 a.py::test_of_old\n"
    )
    result = run(GAS_TESTS, options=["--gas-snapshot", "gas.txt"])
    result.stdout.fnmatch_lines(
        [
            "Counter.add in *::test_one: is new, calls 2, *",
            "Counter.deploy in *::test_one: is new,*",
            "Counter.old in *::test_one: is no longer called",
        ]
    )
    result.stdout.no_fnmatch_line("*test_of_old*")  # it did not run


def test_gas_snapshots_are_read_with_care(run: Run, pytester: pytest.Pytester) -> None:
    pytester.maketxtfile(gas="entry calls min median max test\nCounter.add 1 2\n")
    result = run(GAS_TESTS, options=["--gas-snapshot", "gas.txt"])
    assert result.ret == 1
    result.stdout.fnmatch_lines(["not a line of a gas snapshot: 'Counter.add 1 2'"])


RELAY_TESTS = """
    class Relay(Contract):
        @call
        def pass_on(self, to: Address, n: u64) -> u64:
            return self.at(Counter, to).add(n)

    @pytest.fixture(scope="module")
    def shared():
        chain = Chain()
        return chain, chain.deploy(Counter)

    def test_inner(deploy):
        deploy(Relay).pass_on(deploy(Counter).address, 5)

    def test_of_shared(shared):
        shared[1].add(1)
"""


def test_calls_between_contracts_are_reported(run: Run) -> None:
    gas = gas_of(run(RELAY_TESTS, options=["--gas-report"]))
    calls, least, *_ = map(int, gas["Counter.add(inner)"].split())
    assert calls == 1 and 5_000 < least < 50_000


def test_gas_is_reported_by_test(run: Run) -> None:
    lines = run(RELAY_TESTS, options=["--gas-by-test"]).outlines
    rows = {
        (line.split()[0], line.rpartition("::")[2]) for line in lines if line.startswith("Counter.")
    }
    assert rows == {
        ("Counter.deploy", "test_inner"), ("Counter.add(inner)", "test_inner"), ("Counter.add", "test_of_shared"),
    }  # fmt: skip


@pytest.mark.parametrize("chosen", ["test_one", "test_of_shared", "test_inner or test_two"])
def test_gas_snapshot_holds_for_some_of_the_tests(run: Run, chosen: str) -> None:
    assert run(GAS_TESTS, RELAY_TESTS, options=["--gas-snapshot", "gas.txt"]).ret == 0
    again = run(GAS_TESTS, RELAY_TESTS, options=["--gas-snapshot", "gas.txt", "-k", chosen])
    assert again.ret == 0
