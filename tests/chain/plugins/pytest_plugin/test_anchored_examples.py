"""The pytest plugin goes back before each example of Hypothesis, seen from a project that uses both."""

from __future__ import annotations

from collections.abc import Callable

import hypothesis.stateful  # noqa: F401  # here, or each run below would import it again
import pytest

from tests.chain.plugins.pytest_plugin.game_texts import MODULE_WIDE

pytest_plugins = ["pytester"]
Run = Callable[..., pytest.RunResult]


@pytest.mark.parametrize("fixture", ["deploy", "counter", "own"])
def test_every_example_is_anchored(run: Run, fixture: str) -> None:
    """Whatever scope the chain has: a test's own, a module's, or a fixture of the test on that of the module."""
    result = run(
        MODULE_WIDE,
        f"""
        @pytest.fixture
        def own(counter):
            return counter

        @given(st.integers(0, 12))
        def test_add({fixture}, n):
            counter = deploy(Counter) if "{fixture}" == "deploy" else {fixture}
            before = counter.fields.total
            assert before == (0 if "{fixture}" == "deploy" else 1)
            assert counter.add(n).return_value == before + n
            assert len(counter.chain.receipts) == 2 + before
        """,
    )
    result.assert_outcomes(passed=1)


def test_examples_in_classes_and_params(run: Run) -> None:
    result = run(
        MODULE_WIDE,
        """
        class TestCounter:
            @pytest.mark.parametrize("more", [1, 2])
            @given(st.integers(0, 12))
            def test_add(self, counter, more, n):
                assert counter.add(n).return_value == 1 + n
        """,
    )
    result.assert_outcomes(passed=2)


def test_state_machines_are_anchored(run: Run) -> None:
    result = run(
        """
        from hypothesis.stateful import RuleBasedStateMachine, rule

        COUNTER = Chain().deploy(Counter)

        class Machine(RuleBasedStateMachine):
            def __init__(self):
                super().__init__()
                self.total = 0
                assert COUNTER.fields.total == 0

            @rule(n=st.integers(0, 12))
            def add(self, n):
                self.total += n
                assert COUNTER.add(n).return_value == self.total

        TestMachine = Machine.TestCase
        """
    )
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize("value", ["[]", "Unhashable()"])
def test_other_fixtures_still_warn(run: Run, value: str) -> None:
    result = run(
        f"""
        class Unhashable:
            __hash__ = None

        @pytest.fixture
        def seen():
            return {value}

        @given(n=st.integers())
        def test_add(chain, seen, n):
            pass
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*function-scoped fixture 'chain'*"])
