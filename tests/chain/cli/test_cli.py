"""The command line: its answers, and its messages for wrong input."""

from __future__ import annotations

import json
import os
import pty
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from chain.cli.error_report import error_sentence
from chain.cli.main import cli
from chain.cli.output import _widths
from contracts.deblockle import Deblockle

ROOT = Path(__file__).parents[3]

ENVIRONMENT = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    return lambda *words: CliRunner().invoke(cli, [str(word) for word in words])


def in_a_process(*words: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "chain", *words],
        cwd=cwd,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
    )


def test_help_names_every_command(run: Run) -> None:
    shown = run("--help")
    assert shown.exit_code == 0
    assert "accounts     The accounts of a chain" in shown.output


def test_no_command_shows_the_help(run: Run) -> None:
    shown = run()
    assert shown.exit_code == 2
    assert shown.stderr.startswith("Usage: ") and "(see '" not in shown.stderr


def test_help_imports_no_command() -> None:
    code = "import sys\nfrom chain.cli.main import cli\ntry: cli.main(['--help'])\nexcept SystemExit: print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = done.stdout.split()
    assert not [
        each
        for each in loaded
        if each.startswith(("chain.cli.commands", "chain.simulator.chain", "rich"))
    ]


def test_accounts_are_a_table(run: Run) -> None:
    lines = run("accounts").output.splitlines()
    assert lines[2].split() == [
        "0",
        "alice",
        "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
        "10000",
        "0",
    ]
    assert len(lines) == 12


def test_accounts_in_json_with_keys(run: Run) -> None:
    alice = json.loads(run("accounts", "--keys", "--json").output)[0]
    assert (alice["name"], alice["key"][:6]) == ("alice", "0xac09")


def test_abi_is_the_contracts(run: Run) -> None:
    assert json.loads(run("abi", "contracts.deblockle:Deblockle").output) == Deblockle.__spec__.abi


def test_abi_as_typescript(run: Run, tmp_path: Path) -> None:
    run("abi", "Deblockle", "--typescript", "--out", tmp_path / "abi.ts")
    text = (tmp_path / "abi.ts").read_text()
    assert text.startswith("export const deblockleAbi = [") and text.endswith("] as const;\n")


WRONG: dict[str, tuple[tuple[Any, ...], str]] = {
    "misspelt command": (("acounts",), "there is no command 'acounts'; did you mean accounts?"),
    "unknown command": (("zzz",), "there is no command 'zzz'; there are abi, accounts, "),
    "unknown option": (("accounts", "--kyes"), "No such option"),
    "unknown contract": (("abi", "Chess"), "contracts offers no contract 'Chess'; it has "),
    "unknown package": (("abi", "A", "--contracts", "nix"), "there is no package 'nix' here"),
    "no file": (("accounts", "--chain", "no.chain"), "there is no chain in no.chain"),
}


@pytest.mark.parametrize(("words", "says"), WRONG.values(), ids=WRONG.keys())
def test_wrong_use_is_one_sentence(run: Run, words: tuple[Any, ...], says: str) -> None:
    refused = run(*words)
    assert refused.exit_code == 2
    assert refused.stderr.startswith(f"boardchain: {says}"), refused.stderr
    assert refused.stdout == ""


@pytest.mark.parametrize("name", ["mine.chess:Chess", "mine.chess.Chess"])
def test_contract_of_another_package_is_told_how_to_be_named(run: Run, name: str) -> None:
    assert "; for another package write Chess --contracts mine.chess\n" in run("abi", name).stderr


def test_foreign_file_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x" * 200)
    refused = run("accounts", "--chain", tmp_path / "notes.txt")
    assert refused.exit_code == 1
    assert refused.stderr == "boardchain: notes.txt is not a chain: it is not an SQLite database\n"


def test_broken_package_names_its_line(run: Run, tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "brokengame.py").write_text("from chain import Contract\n\nboard = bord\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    refused = run("abi", "Game", "--contracts", "brokengame")
    assert "boardchain: brokengame.py:3: NameError: name 'bord' is not defined" in refused.stderr


def test_unforeseen_error_is_a_sentence() -> None:
    try:
        _ = 1 // 0
    except ZeroDivisionError as wrong:
        text = error_sentence(wrong)
    assert text.startswith("ZeroDivisionError: ") and "test_cli.py:" in text


def test_real_command_answers_and_refuses() -> None:
    assert len(json.loads(in_a_process("accounts", "--json").stdout)) == 10
    refused = in_a_process("abi", "Chess")
    assert (refused.returncode, refused.stdout, "Traceback" in refused.stderr) == (2, "", False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a contract, and a script that deploys it."""
    (tmp_path / "contracts").mkdir()
    (tmp_path / "contracts" / "__init__.py").write_text("")
    (tmp_path / "contracts" / "game.py").write_text(
        "from chain import Contract\n\n\nclass Game(Contract):\n    pass\n"
    )
    (tmp_path / "deploy.py").write_text(
        "from contracts.game import Game\n\n\ndef plan(deployment):\n    deployment.deploy(Game)\n"
    )
    return tmp_path


def in_a_terminal(*words: str, cwd: Path) -> str:
    """Return the output of the command at a terminal."""
    master, slave = pty.openpty()
    environment = {**ENVIRONMENT, "TERM": "xterm", "COLUMNS": "80"}
    command = [sys.executable, "-m", "chain", *words]
    with subprocess.Popen(
        command, cwd=cwd, stdout=slave, stderr=slave, stdin=subprocess.DEVNULL, env=environment
    ) as person:
        os.close(slave)
        seen = b"".join(iter(lambda: _read(master), b""))
        person.wait()
    os.close(master)
    return seen.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""


def test_terminal_shows_colour_and_progress(project: Path) -> None:
    seen = in_a_terminal("deploy", "deploy.py", "--chain", "a.chain", cwd=project)
    assert "deploying" in seen and "1/1" in seen
    assert "\x1b[1;36mstep" in seen


def test_hashes_are_complete_in_a_narrow_terminal(project: Path) -> None:
    in_a_process("deploy", "deploy.py", "--chain", "a.chain", cwd=project)
    seen = in_a_terminal(
        "sql", "select 1 n, printf('0x%066d', 5) hash", "--chain", "a.chain", cwd=project
    )
    assert f"0x{5:066}" in seen and "\x1b[1;36mhash" in seen
    seen = in_a_terminal("sql", "select * from receipts", "--chain", "a.chain", cwd=project)
    assert "0x5FbDB2315678afecb367f032d93F642f64180aa3" in seen and "\x1b[36mhash" not in seen


@pytest.mark.parametrize(
    ("room", "widths"), [(59, None), (60, [6, 42, 12]), (110, [6, 42, 60]), (100, [6, 42, 52])]
)
def test_long_text_gives_way_to_addresses(room: int, widths: list[int] | None) -> None:
    columns = [("step", "create"), ("at", "0x" + "a" * 40), ("call", "x" * 60)]
    assert _widths(columns, room) == widths


def test_pipe_shows_neither(project: Path) -> None:
    piped = in_a_process("deploy", "deploy.py", cwd=project)
    assert piped.stderr.startswith("1 step done, ") and len(piped.stderr.splitlines()) == 1
    assert "\x1b" not in piped.stdout


def test_only_the_contract_that_runs_is_made() -> None:
    code = (
        "import sys\nfrom chain.cli.main import cli\n"
        "sys.argv = ['boardchain', 'deploy', 'Deblockle']\n"
        "try: cli.main()\nexcept SystemExit: print(sorted(name for name in sys.modules if name.startswith('contracts.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)  # fmt: skip
    assert "contracts.deblockle" in done.stdout and "contracts.blokus" not in done.stdout


@pytest.mark.parametrize("name", cli.list_commands(click.Context(cli)))
def test_examples_of_the_help_are_valid(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None and command.epilog is not None
    examples = [line.strip() for line in command.epilog.splitlines()[2:]]
    assert examples
    for line in examples:
        _, _, call = line.partition("boardchain ")
        words = shlex.split(call.partition(')"')[0].partition(" > ")[0])
        assert words[0] == name
        command.parse_args(click.Context(command, resilient_parsing=True), words[1:])
        known = {option for param in command.params for option in param.opts}
        known |= {option for param in command.params for option in param.secondary_opts}
        assert {word for word in words if word.startswith("-") and word != "-1"} <= known
