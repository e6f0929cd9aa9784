"""`boardchain lint` shows the findings of declarations and of the guard, also while a package cannot be imported."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from chain.cli.main import cli

Write = Callable[..., None]

HEAD = "from chain import Contract, call\nfrom chain.types import u8\nfrom linted import rules\n"
GAME = HEAD + "class Game(Contract):\n n: u8\n @call\n def go(self) -> None:\n  {body}\n"
WRONG = HEAD + "class Game(Contract):\n n: int\n @call\n def go(self, m) -> None:\n  print(m / 2)\n"


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """Writes the modules of a package `linted` in the working directory."""

    def write(**texts: str) -> None:
        (tmp_path / "linted").mkdir()
        for name, text in {"rules": "", **texts}.items():
            (tmp_path / "linted" / f"{name}.py").write_text(text, "utf-8")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)
    yield write
    for name in set(sys.modules) - before:
        if name.partition(".")[0] == "linted":
            del sys.modules[name]


def lint(*words: str) -> Result:
    return CliRunner().invoke(cli, ["lint", *words])


def found_by(*words: str) -> list[str]:
    """Return file, line and beginning of each finding."""
    lines = lint(*words).stdout.splitlines()
    return [re.sub(r"^(.*?:\d+):\d+", r"\1", line.partition(";")[0]) for line in lines]


@pytest.mark.parametrize("target", ["linted", "linted/game.py", "linted.game", "."])
def test_only_what_contracts_reach_counts(write: Write, target: str) -> None:
    write(
        game=GAME.format(body="rules.half(self.n)") + "def unreached(): return 1 / 2\n",
        rules="def half(n): return n / 2\n",
        strategies="import random\nprint(random.random())\n",
    )
    assert found_by(target) == ["linted/rules.py:1: '/' makes a float of whole numbers"]


def test_declarations_and_guard_are_shown_together(write: Write) -> None:
    write(game=WRONG)
    assert found_by("linted") == [
        "linted/game.py:5: Game.n: 'int' has no width",
        "linted/game.py:7: Game.go: argument 'm' has no type",
        "linted/game.py:8: 'print' is for a person at the terminal of this machine",
        "linted/game.py:8: '/' makes a float of whole numbers",
    ]


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("\nimport no_such_module", "2: this cannot be imported: ModuleNotFoundError: No module"),
        ("\n\n1 +", "3: this cannot be imported: SyntaxError: invalid syntax"),
        ("raise SystemExit(3)", "1: this cannot be imported: SystemExit: 3"),
    ],
)
def test_package_that_cannot_be_imported(write: Write, rules: str, said: str) -> None:
    write(game=GAME.format(body="print(0)"), other=GAME.format(body="self.n = 1"), rules=rules)
    game, cause = found_by("linted")
    assert game.startswith("linted/game.py:8: 'print' is for a person")
    assert cause.startswith(f"linted/rules.py:{said}")


def test_json_has_each_finding(write: Write) -> None:
    write(game=WRONG)
    found = json.loads(lint("linted", "linted.game", "--json").stdout)
    assert [each["rule"] for each in found] == ["declaration", "declaration", "debug", "division"]
    assert found[0]["instead"].startswith("write u8")


def test_file_named_like_another_module(write: Write) -> None:
    write(types=GAME.format(body="print(0)"))
    (Path("linted") / "types.py").rename("json.py")
    assert found_by("json.py") == [
        "json.py:8: 'print' is for a person at the terminal of this machine"
    ]


def test_package_without_findings(write: Write) -> None:
    write(game=GAME.format(body="self.n += 1"))
    done = lint("linted")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "no findings\n")
