"""The README's code blocks run as they are: the first as a test file, the others one after the other."""

from __future__ import annotations

import re
import shlex
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from chain import pytest_plugin
from chain.cli.main import cli

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
SHELL = re.findall(r"^(?:boardchain|sqlite3) .*$", README.read_text("utf-8"), re.MULTILINE)


def test_first_contract_passes_its_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_race=BLOCKS[0])
    # The plugin of this checkout, whatever is installed; what this process has imported cannot be rewritten any more.
    options = ("-p", "no:boardchain", "-p", "no:cacheprovider", "--assert=plain")
    pytester.runpytest_inprocess(*options, plugins=[pytest_plugin]).assert_outcomes(passed=1)


def test_first_contract_is_short() -> None:
    lines = [line for line in BLOCKS[0].splitlines() if line.strip()]
    assert len(lines) < 40


def test_other_blocks_run_in_order(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    space: dict[str, object] = {"__name__": "readme"}
    for block in BLOCKS[1:]:
        exec(compile(block, str(README), "exec", dont_inherit=True), space)
    assert "Bell.ring" in capsys.readouterr().out


COMMANDS = [
    line
    for line in SHELL
    if ("duel.chain" in line or "Deblockle" in line) and not line.startswith("boardchain node")
]


def test_commands_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for line in COMMANDS:
        name, *words = shlex.split(line.partition("  #")[0])
        if name == "sqlite3":
            with closing(sqlite3.connect(words[0])) as connection:
                assert connection.execute(words[1]).fetchall()
            continue
        words = [str(ROOT / word) if word.startswith("scripts/") else word for word in words]
        done = CliRunner().invoke(cli, words)
        assert done.exit_code == 0, f"{line}: {done.stderr}"
