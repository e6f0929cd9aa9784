"""The pytest plugin, seen from a project that uses it: each test here runs pytest on a small test file of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import hypothesis.stateful  # noqa: F401  # here, or each run below would import it again
import pytest

from chain.foundation import creation_hooks
from chain.plugins import pytest_plugin
from tests.chain.plugins.pytest_plugin.game_texts import MODULE_WIDE

pytest_plugins = ["pytester"]
Run = Callable[..., pytest.RunResult]

ROOT = Path(pytest_plugin.__file__).parents[3]


# Fixtures


def test_fixtures_are_there(run: Run) -> None:
    result = run(
        """
        def test_play(chain, accounts, alice, bob, carol, deploy):
            assert [alice, bob, carol] == accounts[:3] == chain.accounts[:3]
            assert deploy(Counter).add(3, sender=bob).sender == bob
            assert chain.events(Counted, by=bob).count() == 1

        def test_fresh_chain(chain):
            assert len(chain.receipts) == 0
        """
    )
    result.assert_outcomes(passed=2)


def test_accounts_for_wide_fixtures(run: Run) -> None:
    result = run(
        """
        @pytest.fixture(scope="session")
        def counter(alice):
            counter = Chain().deploy(Counter, sender=alice)
            counter.add(5, sender=alice)
            return counter

        def test_play(counter, alice):
            assert counter.chain.events(Counted).one().by == alice
        """
    )
    result.assert_outcomes(passed=1)


# Anchors


def test_wide_fixture_is_anchored(run: Run) -> None:
    result = run(
        MODULE_WIDE,
        """
        @pytest.mark.parametrize("n", [5, 6, 7])
        def test_add(counter, n):
            assert counter.add(n).return_value == 1 + n
            counter.chain.advance(1000)

        def test_clock(counter):
            assert counter.chain.now == counter.chain.head.timestamp
        """,
    )
    result.assert_outcomes(passed=4)


def test_own_fixture_on_wide_one(run: Run) -> None:
    result = run(
        MODULE_WIDE,
        """
        @pytest.fixture
        def hundred(counter):
            counter.add(99)
            yield counter
            assert counter.fields.total == 101  # the anchor ends after this

        def test_one(hundred):
            assert hundred.add(1).return_value == 101

        def test_again(hundred):
            assert hundred.add(1).return_value == 101
        """,
    )
    result.assert_outcomes(passed=2)


def test_chain_outside_fixtures(run: Run) -> None:
    result = run(
        """
        COUNTER = Chain().deploy(Counter)

        class TestCounter:
            def setup_method(self):
                COUNTER.add(1)

            def test_one(self):
                assert COUNTER.add(1).return_value == 2

            def test_again(self):
                assert COUNTER.add(1).return_value == 2
        """
    )
    result.assert_outcomes(passed=2)


def test_wide_fixtures_stay(run: Run) -> None:
    """What a wider fixture does to an older chain is not undone, even if it is set up late."""
    result = run(
        MODULE_WIDE,
        """
        @pytest.fixture(scope="module")
        def ten(counter):
            counter.add(9)
            return counter

        def test_without(counter):
            assert counter.add(1).return_value == 2

        def test_late(counter, request):
            assert request.getfixturevalue("ten").add(1).return_value == 11

        def test_named(ten):
            assert ten.add(1).return_value == 11
        """,
    )
    result.assert_outcomes(passed=3)


def test_late_wide_chain_is_anchored(run: Run) -> None:
    result = run(
        MODULE_WIDE,
        """
        def test_late(request):
            assert request.getfixturevalue("counter").add(1).return_value == 2

        def test_again(counter):
            assert counter.add(1).return_value == 2
        """,
    )
    result.assert_outcomes(passed=2)


def test_late_fixture_is_refused(run: Run) -> None:
    result = run(
        MODULE_WIDE,
        """
        @pytest.fixture(scope="module")
        def ten(counter):
            counter.add(9)

        def test_late(counter, request):
            counter.add(1)
            request.getfixturevalue("ten")
        """,
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*fixture 'ten' outlives this test but changes a chain that the test has changed*"]
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("chain.deploy(Counter)", ""),
        ("chain.deploy(Counter)", "chain.deploy(Counter)"),
        ("chain.mine()", "chain.mine()"),
        ("chain.set_balance(chain.accounts[0], 5)", "chain.set_balance(chain.accounts[0], 6)"),
    ],
)
def test_going_back_too_far(run: Run, before: str, after: str) -> None:
    result = run(
        f"""
        @pytest.fixture(scope="module")
        def early():
            chain = Chain()
            snapshot = chain.snapshot()
            {before}
            return chain, snapshot

        def test_back(early):
            chain, snapshot = early
            chain.revert(snapshot)
            {after}
        """
    )
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*the test reverted a chain to before its own beginning*"])


# Reports


def test_failure_shows_activity(run: Run) -> None:
    result = run(
        MODULE_WIDE,
        """
        def test_add(counter, bob):
            counter.add(2, sender=bob)
            counter.add(13)
        """,
    )
    result.stdout.fnmatch_lines(
        [
            "*- chain activity -*",
            "3 +3s bob: Counter.add(2) -> 3 *",
            "    Counted(by=bob, total=3)",
            "4 +4s alice: Counter.add(13) failed: not thirteen at *",
        ]
    )
    result.stdout.no_fnmatch_line("*Counter.add(1)*")


def test_failed_example_is_shown(run: Run) -> None:
    result = run(
        """
        @given(st.integers(12, 14))
        def test_add(deploy, n):
            counter = deploy(Counter)
            counter.add(1)
            assert counter.add(n, check=False).ok
        """,
    )
    result.assert_outcomes(failed=1)
    lines = [line for line in result.outlines if " alice: " in line]
    assert [line.partition("alice: ")[2].partition(" [")[0][:28] for line in lines] == [
        "deploy Counter() ok", "Counter.add(1) -> 1", "Counter.add(13) failed: not ",
    ]  # fmt: skip


def test_failed_fixture_shows_activity(run: Run) -> None:
    result = run(
        """
        @pytest.fixture(scope="module")
        def counter():
            Chain().deploy(Counter).add(13)

        def test_add(counter):
            pass
        """
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["1 +1s alice: deploy Counter() ok*", "2 +2s alice: Counter.add(13) failed: not thirteen*"]
    )


def test_long_plays_are_cut(run: Run) -> None:
    result = run(
        """
        def test_add(chain, deploy):
            counter = deploy(Counter)
            for _ in range(60):
                counter.add(1)
            assert False
        """
    )
    result.stdout.fnmatch_lines(
        ["(11 earlier transactions)", "12 +12s alice: Counter.add(1) -> 11 *"]
    )


ROLLED = """
    def test_roll(chain):
        from contracts.deblockle import Deblockle

        duel = chain.deploy(Deblockle)
        duel.create_game("first.testnet", "second.testnet")
        duel.make_move(0, 3, 5, 2, 5, sender=chain.account("first.testnet"))
        assert False
"""


CACHED = ("-p", "cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning")


def test_failure_draws_the_board_before_and_after(run: Run, pytester: pytest.Pytester) -> None:
    result = run(ROLLED, options=CACHED)
    paths = [pytester.path / line for line in result.outlines if line.endswith(".svg")]
    assert [path.stem.partition("py-")[2] for path in paths] == [
        "test_roll-before",
        "test_roll-after",
    ]
    titles = [ElementTree.parse(path).getroot().get("aria-label") for path in paths]
    assert titles == [f"Deblockle: Player {player} to roll" for player in (1, 2)]
    assert ".pytest_cache" in paths[0].parts


def test_no_pictures_without_a_cache(run: Run) -> None:
    run(ROLLED).stdout.no_fnmatch_line("*.svg")


def test_passed_tests_stay_quiet(run: Run) -> None:
    result = run(
        MODULE_WIDE, "def test_add(counter): counter.add(1)", "\ndef test_no_chain(): assert False"
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.no_fnmatch_line("*chain activity*")


# Lightness


def test_collecting_imports_no_engine(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_nothing(): pass")
    pytester.makeconftest(
        """
        import sys

        def pytest_sessionfinish():
            print("imported:", sorted(name for name in sys.modules if name.partition(".")[0] in ("chain", "eth", "web3")))
        """
    )
    command = [sys.executable, "-m", "pytest", "-p", "no:hypothesispytest", "-p", "no:boardchain"]
    done = subprocess.run(
        [*command, "-p", "chain.plugins.pytest_plugin", "--co", "-s", "-q"],
        env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (
        "imported: ['chain', 'chain.foundation', 'chain.foundation.creation_hooks',"
        " 'chain.foundation.gc_pause', 'chain.foundation.late_imports', 'chain.plugins', 'chain.plugins.pytest_plugin',"
        " 'chain.plugins.pytest_plugin.isolation', 'chain.plugins.pytest_plugin.plain_imports',"
        " 'chain.plugins.pytest_plugin.tracebacks', 'chain.source', 'chain.source.failure_line', 'chain.source.user_modules']"
        in done.stdout
    )
    assert "test_nothing" in done.stdout


def test_nobody_listens_afterwards(run: Run) -> None:
    before = list(creation_hooks.creation_listeners)
    run("def test_nothing(): pass").assert_outcomes(passed=1)
    assert creation_hooks.creation_listeners == before


def test_contracts_are_debugged_on_request(run: Run) -> None:
    text = """
        class Loud(Contract):
            @call
            def shout(self) -> None:
                print("loud and clear")

        def test_shout(deploy, capsys):
            deploy(Loud).shout()
            assert capsys.readouterr().out == "loud and clear\\n"
    """
    run(text, options=("--contract-debug",)).assert_outcomes(passed=1)
    run(text).assert_outcomes(failed=1)


def test_the_engine_is_imported_as_python_does(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_loaders(chain):
            names = [name for name in sys.modules if name.startswith("chain.simulator.")]
            loaders = {type(sys.modules[name].__loader__).__module__ for name in names}
            assert loaders and not any(module.startswith("_pytest") for module in loaders)
        """
    )
    command = [sys.executable, "-m", "pytest", "-p", "no:boardchain", "-q"]
    subprocess.run(
        [*command, "-p", "chain.plugins.pytest_plugin"],
        env={"PYTHONPATH": str(ROOT)}, capture_output=True, check=True,
    )  # fmt: skip


def test_limits_of_messages_can_be_set(run: Run) -> None:
    tests = """
        def test_usual(chain):
            assert chain.machine.limits == (0.5, None)

        def test_own():
            assert Chain(time_limit=3).machine.limits == (3, 2**30)
    """
    run(tests, options=("--time-limit", "0.5", "--memory-limit", "none")).assert_outcomes(passed=2)
    result = run(tests, options=("--memory-limit", "much"))
    result.stdout.fnmatch_lines(["*'much' is not a number of bytes*"])
