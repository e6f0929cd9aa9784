"""The code blocks and commands of the README and the guides run as they stand, and every link leads somewhere."""

from __future__ import annotations

import re
import shlex
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from chain.cli.main import cli
from chain.plugins import pytest_plugin

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
GUIDES = sorted((ROOT / "chain" / "guides").glob("*.md"))
REFERENCE = ROOT / "chain" / "REFERENCE.md"
PAGES = [README, *GUIDES, REFERENCE, ROOT / "chain" / "README.md", ROOT / "contracts" / "README.md"]
UNBOUNDED = ("node", "explore", "play", "reload")  # commands that go on, or take long


def blocks(page: Path) -> list[str]:
    """Return the Python blocks of a page, each below as many empty lines as stand above it there."""
    text = page.read_text("utf-8")
    return [
        "\n" * text.count("\n", 0, found.start(1)) + found[1]
        for found in re.finditer(r"```python\n(.*?)```", text, re.DOTALL)
    ]


def commands(page: Path) -> list[str]:
    """Return the commands of a page that end soon, in order."""
    shells = re.findall(r"```sh\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    lines = [line.partition("  #")[0] for shell in shells for line in shell.splitlines()]
    return [
        line
        for line in lines
        if line.startswith(("boardchain ", "sqlite3 ")) and line.split()[1] not in UNBOUNDED
        if "http://" not in line
    ]


def test_first_contract_passes_its_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_race=blocks(README)[0].lstrip("\n"))
    # The plugin of this checkout, whatever is installed; what this process has imported cannot be rewritten any more.
    options = ("-p", "no:boardchain", "-p", "no:cacheprovider", "--assert=plain")
    pytester.runpytest_inprocess(*options, plugins=[pytest_plugin]).assert_outcomes(passed=1)


def test_first_contract_is_short() -> None:
    lines = [line for line in blocks(README)[0].splitlines() if line.strip()]
    assert len(lines) < 40


@pytest.mark.parametrize("page", [README, *GUIDES], ids=lambda page: page.stem)
def test_blocks_run_in_order(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    space: dict[str, object] = {"__name__": "guide"}
    for block in blocks(page)[page is README :]:  # the README's first one is a test file
        exec(compile(block, str(page), "exec", dont_inherit=True), space)


@pytest.mark.parametrize("page", [README, *GUIDES], ids=lambda page: page.stem)
def test_commands_run_in_order(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "scripts", "scripts")
    if page.stem == "inspecting":
        CliRunner().invoke(cli, ["deploy", "Deblockle", "--chain", "duel.chain"])
    for line in commands(page):
        name, *words = shlex.split(line)
        if name == "sqlite3":
            with closing(sqlite3.connect(words[0])) as connection:
                assert connection.execute(words[1]).fetchall()
            continue
        done = CliRunner().invoke(cli, words)
        assert done.exit_code == 0, f"{line}: {done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)#]+)\)|src=\"([^\"]+)\"", text)
    for link in ("".join(found) for found in links):
        assert (page.parent / link).exists(), link


def test_readme_names_every_guide() -> None:
    text = README.read_text("utf-8")
    assert [guide.name for guide in GUIDES if f"chain/guides/{guide.name}" not in text] == []
