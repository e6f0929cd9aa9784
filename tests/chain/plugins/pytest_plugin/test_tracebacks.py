"""A traceback shows the lines of the test and of the contract, and nothing of the chain, in every style."""

from __future__ import annotations

import traceback
from collections.abc import Callable

import pytest

from chain import Chain, Contract, Reverted, call
from chain.types import u64

pytest_plugins = ["pytester"]
Run = Callable[..., pytest.RunResult]

BUG = """
    class Deck(Contract):
        top: u64

        @call
        def draw(self, card: u64) -> None:
            self.top += card.rang

        @call
        def all(self, cards: Address) -> None:
            self.at(Deck, cards).draw(1)
    """
TEST = """
    def test_draw(deploy):
        deploy(Deck).draw(1)
    """
LINES = ("self.top += card.rang", "deploy(Deck).draw(1)")


def failure_in(result: pytest.RunResult) -> list[str]:
    """Return the lines about a failing test, without its activity."""
    lines = result.outlines
    start = next(i for i, line in enumerate(lines) if " FAILURES " in line or " ERRORS " in line)
    end = [i for i, line in enumerate(lines) if "- chain activity -" in line or " summary " in line]
    return lines[start:end[0]]  # fmt: skip


def of_the_chain(lines: list[str]) -> list[str]:
    places = ("chain/", "_pytest/", "pluggy/", "contextlib.py")
    return [line for line in lines if any(place in line for place in places)]


@pytest.mark.parametrize("style", ["auto", "long", "short", "native"])
def test_lines_of_test_and_contract_are_shown(run: Run, style: str) -> None:
    shown = failure_in(run(BUG, TEST, options=(f"--tb={style}",)))
    assert [part for part in LINES if not any(part in line for line in shown)] == []
    assert of_the_chain(shown) == []
    assert len(shown) < 30


def test_line_style_names_the_line_of_the_test(run: Run) -> None:
    result = run(BUG, TEST, options=("--tb=line",))
    result.stdout.re_match_lines([r".*test_line_style.*\.py:\d+: .*Reverted: AttributeError.*"])
    assert of_the_chain(failure_in(result)) == []


def test_full_trace_shows_all(run: Run) -> None:
    shown = "\n".join(failure_in(run(BUG, TEST, options=("--full-trace",))))
    assert "chain/simulator/handle.py" in shown
    assert "chain/machine/dispatch.py" in shown


@pytest.mark.parametrize(
    "test",
    [
        "from chain import reverts\ndef test_draw(deploy):\n with reverts('x'): deploy(Deck).draw(1)",
        "@pytest.fixture\ndef deck(deploy): deploy(Deck).draw(1)\ndef test_draw(deck): pass",
        "@given(n=st.integers(0, 9))\ndef test_draw(deploy, n): deploy(Deck).draw(n)",
        "def test_draw(deploy):\n try: deploy(Deck).draw(1)\n except Exception as e: raise KeyError from e",
        "def test_draw(deploy):\n try: deploy(Deck).draw(1)\n finally: raise KeyError",
        "def test_draw(deploy):\n try: deploy(Deck).draw(1)\n except Exception as e: raise ExceptionGroup('', [e])",
        "def test_draw(deploy):\n deploy(Deck).all(deploy(Deck).address)",
        "from unittest import TestCase\nclass TestDeck(TestCase):\n def test_draw(self): Chain().deploy(Deck).draw(1)",
        "from concurrent.futures import ThreadPoolExecutor as Pool\n"
        "def test_draw(deploy):\n with Pool() as pool: pool.submit(deploy(Deck).draw, 1).result()",
    ],
    ids=["reverts", "fixture", "hypothesis", "from", "while", "group", "nested", "unittest", "thread"],
)  # fmt: skip
def test_wherever_an_entry_fails(run: Run, test: str) -> None:
    shown = failure_in(run(BUG, test))
    assert any(LINES[0] in line for line in shown)
    assert of_the_chain(shown) == []


@pytest.mark.parametrize("test", ["deploy(Deck).drow(1)", "deploy(Deck).draw('one')"])
def test_wrong_call_shows_the_line_of_the_test(run: Run, test: str) -> None:
    shown = failure_in(run(BUG, f"def test_draw(deploy): {test}"))
    assert any(test in line for line in shown)
    assert of_the_chain(shown) == []


def test_wrong_declaration_shows_its_line(run: Run) -> None:
    result = run("class Wrong(Contract):\n speed: float\ndef test_nothing(): pass")
    shown = failure_in(result)
    assert any("Wrong.speed: 'float' is not exact" in line for line in shown)
    assert of_the_chain(shown) == []


class Deck(Contract):
    top: u64

    @call
    def draw(self, card: u64) -> None:
        self.top += card.rang  # type: ignore[attr-defined]


def test_script_shows_the_line_of_the_contract() -> None:
    with pytest.raises(Reverted) as raised:
        Chain().deploy(Deck).draw(1)
    cause = raised.value.__cause__
    assert isinstance(cause, AttributeError)
    [step] = traceback.extract_tb(cause.__traceback__)
    assert (step.filename, step.name, step.line) == (
        __file__,
        "draw",
        LINES[0] + "  # type: ignore[attr-defined]",
    )
