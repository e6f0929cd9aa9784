"""A separate game for each run of pytest inside a test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from chain.plugins import pytest_plugin
from tests.chain.plugins.pytest_plugin.game_texts import GAME

IGNORED = "ignore:It looks like `register_random` was passed an object"  # see pyproject.toml


@pytest.fixture
def run(pytester: pytest.Pytester) -> Callable[..., pytest.RunResult]:
    """Runs pytest on the game and some tests. The plugin is that of this checkout, whatever is installed."""

    def run_tests(*tests: str, options: tuple[str, ...] = ()) -> pytest.RunResult:
        pytester.makepyfile(GAME + "".join(map(dedent, tests)))
        plugins = ("boardchain", "cacheprovider", "randomly")
        off = [option for name in plugins for option in ("-p", f"no:{name}")]
        # Plain asserts: what this process has imported cannot be rewritten any more.
        standard = (*off, "-W", "error", "-W", IGNORED, "--assert=plain")
        return pytester.runpytest_inprocess(*standard, *options, plugins=[pytest_plugin])

    return run_tests


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that tests start find the chain of this checkout, and load no plugins but those they are told to."""
    monkeypatch.setenv("PYTHONPATH", str(Path(pytest_plugin.__file__).parents[3]))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
