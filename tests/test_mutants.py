"""Wrong variants of the chain and of the games, each of which a test must notice: `*/mutants/*.txt` lists them.

A mutant is a paragraph: what is wrong with it, the file, the test that fails for it, and the lines that change, `-` and `+`.
It is tried on a copy of the sources, in a process of its own. The first of each list always is; `-m slow` tries all.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
FAILED = 1  # what pytest answers; other numbers are of tests that could not be found or begin
LISTS = sorted(Path(__file__).parent.glob("*/mutants/*.txt"))


@dataclass(frozen=True)
class Mutant:
    what: str
    file: Path  # below the root
    test: str
    changes: tuple[tuple[str, str], ...]  # from what, to what

    def text(self) -> str:
        text = (ROOT / self.file).read_text("utf-8")
        for before, after in self.changes:
            assert text.count(before) == 1, f"{self.what} Not once in {self.file}: {before}"
            text = text.replace(before, after)
        return text


def read(path: Path) -> Iterator[Mutant]:
    home = Path("chain") if path.stem == "core" else Path("contracts", path.stem)
    for paragraph in path.read_text("utf-8").strip().split("\n\n"):
        what, file, test, *lines = paragraph.splitlines()
        yield Mutant(what, home / file, test, tuple(changes(lines)))


def changes(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Some lines with a `-`, and behind them those with a `+` that come in their place."""
    before: list[str] = []
    after: list[str] = []
    for line in lines:
        if after and line.startswith("-"):
            yield "\n".join(before), "\n".join(after)
            before, after = [], []
        (before if line.startswith("-") else after).append(line[2:])
    yield "\n".join(before), "\n".join(after)


def every() -> Iterator[Any]:
    for path in LISTS:
        for i, mutant in enumerate(read(path)):
            marks = [pytest.mark.slow] if i else []
            yield pytest.param(mutant, id=f"{path.stem}-{mutant.what.rstrip('.')}", marks=marks)


def tried(mutant: Mutant, folder: Path) -> subprocess.CompletedProcess[str]:
    """The test of a mutant, run on a copy of the sources that has it."""
    home = mutant.file.parts[0]
    shutil.copytree(ROOT / home, folder / home)  # with the bytecode of what stays as it is
    (folder / mutant.file).write_text(mutant.text(), "utf-8")
    Path(cache_from_source(str(folder / mutant.file))).unlink(missing_ok=True)
    test, config = ROOT / "tests" / mutant.test, ROOT / "pyproject.toml"
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    more = {"PYTHONDONTWRITEBYTECODE": "1", "CI": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    paths = f"{folder}{os.pathsep}{ROOT}"
    options = [
        "-p",
        "no:cacheprovider",
        "-o",
        "pythonpath=",
        "-c",
        str(config),
        f"--rootdir={ROOT}",
    ]
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-qx", *options, str(test)],
        cwd=folder,
        env={**ours, "PYTHONPATH": paths, **more},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_mutants_change_what_is_there(path: Path) -> None:
    mutants = list(read(path))
    assert len({mutant.text() for mutant in mutants}) == len(mutants) >= 10


@pytest.mark.parametrize("mutant", list(every()))
def test_mutant_is_caught(mutant: Mutant, tmp_path: Path) -> None:
    shown = tried(mutant, tmp_path)
    assert shown.returncode == FAILED, f"{mutant.test} lets it pass:\n{shown.stdout}{shown.stderr}"
