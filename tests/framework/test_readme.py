"""The README's code blocks run as they stand: the first as a test file, the others one after the other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from chain import pytest_plugin

pytest_plugins = ["pytester"]

README = Path(__file__).parents[2] / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)


def test_first_contract_passes_its_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_race=BLOCKS[0])
    options = (
        "-p",
        "no:boardchain",
        "-p",
        "no:cacheprovider",
    )  # the plugin of this checkout, whatever is installed
    pytester.runpytest_inprocess(*options, plugins=[pytest_plugin]).assert_outcomes(passed=1)


def test_first_contract_is_short() -> None:
    lines = [line for line in BLOCKS[0].splitlines() if line.strip()]
    assert len(lines) < 40


def test_other_blocks_run_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    space: dict[str, object] = {"__name__": "readme"}
    for block in BLOCKS[1:]:
        exec(compile(block, str(README), "exec", dont_inherit=True), space)
    assert "Bell.ring" in capsys.readouterr().out
