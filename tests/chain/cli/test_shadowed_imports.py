"""Files of users with the names of modules: the command line never imports them in place of the modules."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
COMMANDS = (("node", "--host", "192.0.2.1"), ("run", "play.py"), ("--help",))
# The host is not an address of this machine, so the node ends.
# Of the standard library, of what the chain needs, and of the chain itself; some are imported late.
NAMES = ("json", "asyncio", "secrets", "sqlite3", "click", "uvicorn", "uvloop", "rlp", "eth", "rich", "chain")  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "boardchain").write_text("from chain.cli.main import main\nmain()\n")
    work = tmp_path / "work"
    work.mkdir()
    for name in NAMES:
        (work / f"{name}.py").write_text(f"raise SystemExit('{name} is shadowed')\n")
    (work / "contracts").mkdir()
    (work / "contracts" / "__init__.py").write_text("import helper\n")
    (work / "helper.py").write_text("print('the helper is found')\n")
    (work / "play.py").write_text("import contracts\nimport uvicorn\nimport json\n")
    return work


def run(folder: Path, *command: str) -> str:
    done = subprocess.run(
        (sys.executable, *command), cwd=folder, env=dict(os.environ),
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    return done.stdout + done.stderr


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_the_command_imports_none_of_them(folder: Path, command: tuple[str, ...]) -> None:
    assert "shadowed" not in run(folder, str(folder.parent / "bin" / "boardchain"), *command)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_nor_does_the_module(folder: Path, command: tuple[str, ...]) -> None:
    (folder / "chain.py").unlink()  # which Python itself takes for the module
    assert "shadowed" not in run(folder, "-m", "chain", *command)


def test_contracts_of_the_folder_are_used(folder: Path) -> None:
    assert "the helper is found" in run(folder, str(folder.parent / "bin" / "boardchain"), "run", "play.py")  # fmt: skip
