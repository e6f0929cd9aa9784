"""Conveniences of the command line: a prompt, completion, events that are followed, errors for programs."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from chain import Chain
from chain.cli import progress
from chain.cli.commands import events
from chain.cli.main import cli

ROOT = Path(__file__).parents[3]
ARENA = """
import desk_match
from chain import Contract, Key, Map, call, event, view
from chain.types import Address, u64

@event
class Moved:
    who: Key[Address]
    to: u64

class Race(Contract):
    places: Map[Address, u64]

    @call
    def move(self, to: u64) -> None:
        self.places[self.caller] = to
        self.emit(Moved(self.caller, to))

    @view
    def place(self, who: Address) -> u64:
        return self.places[who]

class Match(Contract):
    @call
    def begin(self) -> None:
        self.emit(desk_match.Moved(7))
"""
MATCH = """
from chain import event
from chain.types import u64

@event
class Moved:
    turn: u64
"""

Run = Callable[..., Result]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A chain with two contracts that share an event, in a folder with their package."""
    folder = tmp_path_factory.mktemp("desk")
    (folder / "desk_match.py").write_text(MATCH)
    (folder / "desk_arena.py").write_text(ARENA)
    sys.path.insert(0, str(folder))
    from desk_arena import Match, Race  # type: ignore[import-not-found]

    with Chain.open(folder / "race.chain", contracts=[Race, Match]) as chain:
        race, match = chain.deploy(Race), chain.deploy(Match)
        chain.account("zoe.testnet")
        race.move(3)
        match.begin(sender="bob")
        race.move(5, sender="bob")
    yield folder / "race.chain"
    sys.path.remove(str(folder))


@pytest.fixture
def run(file: Path) -> Run:
    """Runs a command on that chain."""
    given = ["--chain", str(file), "--contracts", "desk_arena"]
    return lambda *words, **options: CliRunner().invoke(cli, [*map(str, words), *given], **options)


# Events and receipts


def test_events_of_all_contracts_have_their_transaction(run: Run) -> None:
    rows = [line.split() for line in run("events").stdout.splitlines()[2:]]
    assert [row[:4] for row in rows] == [
        ["2", "3", "Moved", "Race"], ["3", "4", "Moved", "Match"], ["4", "5", "Moved", "Race"],
    ]  # fmt: skip
    assert run("trace", rows[1][0]).stdout.startswith("4 +4s bob: Match.begin()")


def test_contract_decides_whose_event_is_meant(run: Run) -> None:
    told = json.loads(run("events", "Moved", "--contract", "Match", "--json").stdout)
    assert [event["fields"] for event in told] == [{"turn": 7}]


def test_hashes_are_shown_on_request(run: Run) -> None:
    (row,) = run("events", "--hashes", "--last", 1).stdout.splitlines()[2:]
    (receipt,) = run("receipts", "--hashes", "--last", 1).stdout.splitlines()[2:]
    assert row.split()[-1] == receipt.split()[-1]
    assert run("trace", row.split()[-1]).stdout.startswith("5 +5s bob: Race.move(5)")


EVENTS: list[tuple[tuple[str, ...], list[int]]] = [
    (("Moved", "to>=4", "--contract", "Race"), [5]),
    (("Moved", "to<=4", "--contract", "Race"), [3]),
    (("Moved", "to>=3", "to<=4", "--contract", "Race"), [3]),
    (("--account", "bob"), [5]),
    (("--contract", "Race", "--until", "2024-01-01T00:00:03"), [3]),
    (("--contract", "Race", "--since", "1704067204", "--until", "2024-01-01"), []),
    (("--contract", "Race", "--since", "2024-01-01T00:00:04+00:00"), [5]),
]


@pytest.mark.parametrize(("words", "expected"), EVENTS)
def test_events_are_compared(run: Run, words: tuple[str, ...], expected: list[int]) -> None:
    told = json.loads(run("events", *words, "--json").stdout)
    assert [event["fields"]["to"] for event in told] == expected


def test_receipts_by_account_time_and_reason(run: Run) -> None:
    def blocks(*words: str) -> list[int]:
        return [told["block"] for told in json.loads(run("receipts", *words, "--json").stdout)]

    assert blocks("--account", "bob") == [4, 5]
    assert blocks("--account", "Race") == [1, 3, 5]
    assert blocks("--since", "2024-01-01T00:00:02", "--until", "1704067203") == [2, 3]
    assert blocks("--error", "turn") == []


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("events", "Moved", "to>3", "--contract", "Race"), "write the fields of Moved as"),
        (("events", "Moved", "who>=bob", "--contract", "Race"), "it holds no numbers"),
        (("events", "Moved", "to~3", "--contract", "Race"), "it holds no texts"),
        (("events", "Moved", "to>=x", "--contract", "Race"), "to = 'x' is not a whole number"),
        (("events", "--since", "noon"), "'noon' is neither Unix seconds nor a date such as"),
        (("receipts", "--account", "nobody"), "this chain has no account of that name"),
    ],
)
def test_wrong_filters_are_explained(run: Run, words: tuple[str, ...], why: str) -> None:
    refused = run(*words)
    assert (refused.exit_code, why in refused.stderr) == (2, True), refused.stderr


def test_receipts_of_some_blocks(run: Run) -> None:
    told = json.loads(run("receipts", "--from-block", 2, "--to-block", 3, "--json").stdout)
    assert [receipt["block"] for receipt in told] == [2, 3]


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_events_are_followed(monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]) -> None:
    from desk_arena import Race

    near = Chain()
    race = near.deploy(Race)
    race.move(1)
    start = near.snapshot()

    def pauses() -> Iterator[None]:
        race.move(2)
        yield
        yield
        near.revert(start)
        race.move(3)
        yield
        raise KeyboardInterrupt

    monkeypatch.setattr(events, "pauses", pauses)
    connect = Chain.connect
    monkeypatch.setattr(
        Chain, "connect", lambda where, **named: connect(near.node, contracts=[Race])
    )
    words = ["events", "--follow", "--chain", "http://near", "--contracts", "desk_arena", *options]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 130
    if options:
        told = [json.loads(line)["fields"]["to"] for line in done.stdout.splitlines()]
    else:
        told = [int(line.rpartition("=")[2]) for line in done.stdout.splitlines()]
    assert told == [1, 2, 3] and "the chain was rolled back" in done.stderr


def test_chain_in_memory_is_not_followed() -> None:
    done = CliRunner().invoke(cli, ["events", "--follow"])
    assert done.exit_code == 2 and "a chain in memory ends with the command" in done.stderr


# The prompt, and SQL


def test_console_knows_chain_accounts_and_contracts(run: Run) -> None:
    done = run(
        "console", input="print(race.place(bob), chain.head.number, zoe_testnet.name)\nRace\n"
    )
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines() == ["5 5 zoe.testnet", "<class 'desk_arena.Race'>"]


def test_refusal_at_the_prompt_is_a_sentence(run: Run) -> None:
    done = run("console", input="race.move(1, gas=100)\n1 / 0\n")
    refusal, *bug = done.stderr.strip().splitlines()
    assert refusal.startswith("InvalidTransaction: intrinsic gas too low: it has 100 gas")
    assert (bug[0], bug[-1]) == (
        "Traceback (most recent call last):",
        "ZeroDivisionError: division by zero",
    )


def test_sql_answers_one_question_after_the_other(run: Run) -> None:
    asked = "select count(*) n\nfrom Moved;\nselect nix;\n.tables\n.quit\n"
    done = run("sql", "--interactive", "--json", input=asked)
    count, tables = done.stdout.splitlines()
    assert json.loads(count) == [{"n": 2}]
    assert "Match_Moved" in tables and "no such column: nix" in done.stderr


ENDLESS = "with recursive c(x) as (select 1 union all select x+1 from c) select "


@pytest.mark.parametrize(
    ("question", "options", "says"),
    [
        ("count(*) from c", ("--seconds", 1), "the query takes too long"),
        ("x from c limit 99", ("--most", 9), "the answer is too long: at most 9 rows"),
    ],
)
def test_sql_is_bounded(run: Run, question: str, options: tuple[Any, ...], says: str) -> None:
    done = run("sql", ENDLESS + question, *options)
    assert done.exit_code == 2 and says in done.stderr


def test_endless_question_can_be_stopped(file: Path) -> None:
    words = [sys.executable, "-m", "chain", "sql", f"{ENDLESS}count(*) from c", "--seconds", "999"]
    given = ["--chain", str(file), "--contracts", "desk_arena"]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{file.parent}", "PYTHONUNBUFFERED": "1"}
    code = (
        "import contextlib, os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background jobs ignore it
        "from chain.ledger.sql.sql_view import QueryLimits\n"
        "applied = QueryLimits.applied\n"
        "@contextlib.contextmanager\n"
        "def interrupted(limits, connection):\n"
        "    with applied(limits, connection) as is_spent:\n"
        "        ctrl_c = lambda: os.kill(os.getpid(), signal.SIGINT)\n"
        "        connection.set_progress_handler(ctrl_c, 100_000)\n"
        "        yield is_spent\n"
        "QueryLimits.applied = interrupted\n"
        "from chain.cli.main import main\n"
        f"sys.argv = {['boardchain', *words[3:], *given]!r}\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr.strip()) == (128 + signal.SIGINT, "stopped")


# Completion


def completed(*words: str) -> list[str]:
    environment = {
        "_BOARDCHAIN_COMPLETE": "bash_complete",
        "COMP_WORDS": shlex.join(["boardchain", *words]),
        "COMP_CWORD": str(len(words)),
    }
    done = CliRunner().invoke(cli, [], env=environment, prog_name="boardchain")
    return [line.partition(",")[2] for line in done.stdout.splitlines() if line]


COMPLETED = [
    (("call", "CHAIN", "Ra"), ["Race"]),
    (("call", "CHAIN", "Race", ""), ["move"]),
    (("view", "CHAIN", "Race", ""), ["move", "place"][1:]),
    (("events", "CHAIN", ""), ["Moved"]),
    (("receipts", "CHAIN", "--entry", ""), ["begin", "move", "place"]),
    (("receipts", "CHAIN", "--from", "z"), ["zoe.testnet"]),
    (("call", "--from", "al"), ["alice"]),
    (("abi", "--contracts", "desk_arena", ""), ["Match", "Race"]),
    (("acc",), ["accounts"]),
    (("call", "--chain", "nix.chain", ""), []),
    (("abi", "--contracts", "nix", ""), []),
]


@pytest.mark.parametrize(("words", "expected"), COMPLETED)
def test_words_are_completed(file: Path, words: tuple[str, ...], expected: list[str]) -> None:
    given = ["--chain", str(file), "--contracts", "desk_arena"]
    line = [part for word in words for part in (given if word == "CHAIN" else [word])]
    assert completed(*line) == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_script_for_the_shell_is_printed(shell: str) -> None:
    done = CliRunner().invoke(cli, ["completion", shell], prog_name="boardchain")
    assert done.exit_code == 0 and "_BOARDCHAIN_COMPLETE" in done.stdout


# Errors, ends


def test_errors_are_json_too(run: Run) -> None:
    done = run("view", "Nix", "place", "--json")
    assert json.loads(done.stderr) == {
        "error": "there is no contract 'Nix' on this chain; there are Race, Match",
        "exit_code": 2,
    }


def test_closed_pipe_ends_quietly(file: Path) -> None:
    words = [sys.executable, "-m", "chain", "accounts"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(words, env=environment, stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


def test_characters_that_a_terminal_lacks_are_replaced(file: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "cp1252"}
    words = [sys.executable, "-m", "chain", "sql", "select '♟ à' piece", "--chain", str(file)]
    done = subprocess.run(words, env=environment, capture_output=True, check=True)
    assert done.stdout.decode("cp1252").splitlines()[-1] == "? à"


# What a command takes

READING = [
    ("receipts",),
    ("events",),
    ("sql", "select count(*) from receipts"),
    ("events", "Moved", "--contract", "Race"),
]


@pytest.mark.parametrize("words", READING)
def test_reading_imports_no_contract(file: Path, words: tuple[str, ...]) -> None:
    shown = "'desk_arena' in sys.modules, 'chain.metering.build' in sys.modules"
    code = (
        "import sys\nfrom chain.cli.main import cli\n"
        f"sys.argv = {['boardchain', *words, '--chain', str(file), '--contracts', 'desk_arena']!r}\n"
        f"try: cli.main()\nexcept SystemExit: print({shown})"
    )
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{file.parent}"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "False False"


# Progress


def test_long_commands_tell_how_far_they_are(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(shutil.copy(file, tmp_path))
    before = path.read_bytes()
    seen: list[tuple[str, int]] = []

    @contextmanager
    def bar(what: str, total: int | None) -> Iterator[progress.ProgressStep]:
        yield lambda done, note="": seen.append((what, done))

    for module in ("progress", "commands.fuzz", "commands.verify"):
        monkeypatch.setattr(f"chain.cli.{module}.bar", bar)
    given = ["--contracts", "desk_arena"]
    with Chain.open(path):  # another process may play
        for name in ("verify", "replay", "record"):
            assert CliRunner().invoke(cli, [name, str(path), *given]).exit_code == 0
        assert path.read_bytes() == before
    CliRunner().invoke(cli, ["fuzz", "desk_arena", "--examples", "3", "--steps", "2"])
    told = {what: sum(done for name, done in seen if name == what) for what, _ in seen}
    assert told["reading"] == 3 * 5 and told["replaying"] >= 5
    assert told["verifying"] >= 6 and told["fuzzing"] >= 3


# Reading


READERS = [
    *(("receipts",), ("events",), ("sql", "select 1"), ("trace", "-1"), ("accounts",)),
    *(("view", "Race", "place", "bob"), ("view", "Race", "place", "never.seen")),
]


@pytest.mark.parametrize("words", READERS)
def test_reading_works_while_another_process_plays(
    file: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    from desk_arena import Race

    path = tmp_path / "race.chain"
    shutil.copy(file, path)
    given = ["--chain", str(path)]
    given += ["--contracts", "desk_arena"] if words[0] != "accounts" else []
    with Chain.open(path, contracts=[Race]) as chain:
        before = path.read_bytes()
        done = CliRunner().invoke(cli, [*words, *given])
        assert done.exit_code == 0, done.stderr
        assert path.read_bytes() == before
        assert len(chain.receipts) == 5


def test_watched_file_is_followed(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from desk_arena import Race

    path = tmp_path / "race.chain"
    shutil.copy(file, path)

    def pauses() -> Iterator[None]:
        with Chain.open(path, contracts=[Race]) as chain:
            chain.contract("Race").move(77)
        yield
        raise KeyboardInterrupt

    monkeypatch.setattr(events, "pauses", pauses)
    words = ["events", "--follow", "--last", "1", "--chain", str(path), "--contracts", "desk_arena"]
    done = CliRunner().invoke(cli, words)
    assert [line.rpartition("=")[2] for line in done.stdout.splitlines()] == ["5", "77"]
