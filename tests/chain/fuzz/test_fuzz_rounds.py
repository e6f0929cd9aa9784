"""Fuzzing in rounds: the same finds by any number of processes, nothing lost when killed, a corpus that survives edits."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from chain import Chain, Contract, call, init
from chain.cli.main import cli
from chain.foundation import folder_lock
from chain.foundation.folder_lock import FolderInUse, locked
from chain.fuzz import Fuzz, rounds
from chain.fuzz.corpus import Corpus, CorpusEntry
from chain.fuzz.explorer import CallExplorer
from chain.fuzz.rounds import Campaign, Job, RoundPlan, UnitFailed, UnitLost
from chain.fuzz.step_notation import StepNotation
from chain.fuzz.steps import Call, PlannedDeployment, Step, Wait
from chain.fuzz.unit import play_unit
from chain.types import Address, u8

pytestmark = pytest.mark.usefixtures("kept_code")

LOCK = """
from chain import Contract, call, require
from chain.fuzz import Fuzz, invariant
from chain.types import u8

class Lock(Contract):
    turned: u8

    @call
    def left(self) -> None:
        require(self.turned % 2 == 0, "Stuck")
        self.turned += 1

    @call
    def right(self) -> None:
        require(self.turned % 2 == 1, "Stuck")
        self.turned += 1

class LockFuzz(Fuzz):
    contracts = (Lock,)
    callers = 1
    time_passes = False

    @invariant
    def stays_shut(self):
        assert self.handle.fields.turned < 8
"""


@dataclass(frozen=True)
class Record:
    name: str


@dataclass(frozen=True)
class Bell(Record):
    """A record that an author may pass; the chain knows nothing else about it."""

    weight: int = 3


class Door(Contract):
    @call
    def open(self, keys: list[u8], name: str, who: Address) -> None: ...

    @call
    def ring(self, bell: Record, times: u8 = 2) -> None: ...


class Gate(Contract):
    width: u8

    @init
    def new(self, width: u8) -> None:
        self.width = width


class DoorFuzz(Fuzz):
    contracts = (Door,)


@pytest.fixture
def lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., RoundPlan]:
    """Writes the module with the lock, and returns its plan."""
    name = f"lock_{tmp_path.name}".replace("-", "_")
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(shut: int = 8, **options: Any) -> RoundPlan:
        (tmp_path / f"{name}.py").write_text(LOCK.replace("turned < 8", f"turned < {shut}"))
        sys.modules.pop(name, None)
        plan = RoundPlan.of(name, 0, examples=8, steps=5, seed=0, lines=False)
        return replace(plan, units=2, **options)

    return write


class InProcess:
    """Plays units in this process, up to a number of them."""

    def __init__(self, most: int = 1000) -> None:
        self.jobs: list[Job] = []
        self._most = most

    def play(self, job: Job) -> str:
        if len(self.jobs) == self._most:
            raise KeyboardInterrupt
        self.jobs.append(job)
        return json.dumps(play_unit(Job(**json.loads(json.dumps(asdict(job)))))) + "\n"

    def end(self) -> None: ...


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Callable[..., InProcess]:
    """Play units in this process."""

    def put(most: int = 1000) -> InProcess:
        units = InProcess(most)
        monkeypatch.setattr(rounds, "_Processes", lambda: units)
        return units

    return put


def corpus_in(folder: Path) -> str:
    return (folder / "corpus.json").read_text("utf-8")


def test_any_number_of_processes_finds_the_same(
    lock: Callable[..., RoundPlan], here: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = lock()
    one, two = tmp_path / "one", tmp_path / "two"
    Campaign(plan, two).run(2, 2)  # in processes of their own
    here()
    Campaign(plan, one).run(2, 1)
    assert corpus_in(one) == corpus_in(two)
    assert json.loads(corpus_in(one))["rounds"] == 2


def test_rounds_go_deeper_than_a_unit(
    lock: Callable[..., RoundPlan], here: Any, tmp_path: Path
) -> None:
    """Eight right turns in a row are found in steps of five at most, from what other units have reached."""
    units = here()
    state = Campaign(lock(), tmp_path / "corpus").run(20, 1)
    assert state.failure is not None
    assert len(units.jobs) > 2
    assert len(state.failure["steps"]) == 8
    assert "def test_stays_shut" in state.failure["test"]


@pytest.mark.parametrize("played", [1, 3])
def test_killed_run_loses_no_unit(
    lock: Callable[..., RoundPlan], here: Any, tmp_path: Path, played: int
) -> None:
    plan = lock(shut=200)
    whole = here()
    Campaign(plan, tmp_path / "whole").run(2, 1)
    here(most=played)
    with pytest.raises(KeyboardInterrupt):
        Campaign(plan, tmp_path / "killed").run(2, 1)
    rest = here()
    Campaign(plan, tmp_path / "killed").run(2, 1)
    assert len(whole.jobs) == played + len(rest.jobs) == 4
    assert corpus_in(tmp_path / "killed") == corpus_in(tmp_path / "whole")
    assert sorted(file.name for file in (tmp_path / "killed").iterdir()) == ["corpus.json"]


def test_corpus_is_of_one_process(
    lock: Callable[..., RoundPlan], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_lock, "_PATIENCE", 0.01)
    with locked(tmp_path), pytest.raises(FolderInUse, match="another process writes into"):
        Campaign(lock(), tmp_path).run(1, 1)


def test_finding_is_reported_until_the_code_changes(
    lock: Callable[..., RoundPlan], here: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "corpus"
    here()
    found = Campaign(lock(shut=3), folder).run(20, 1).failure
    again = here()
    assert Campaign(lock(shut=3), folder).run(20, 1).failure == found
    assert again.jobs == []
    edited = here()
    state = Campaign(lock(shut=200), folder).run(1, 1)
    assert found is not None and state.failure is None
    assert edited.jobs[0].again[0] == found["steps"]  # what broke it is tried first
    features = {tuple(feature) for _, each in state.corpus for _, feature, _ in each}
    assert ("Lock.turned.", 2) in features


def test_former_corpus_finds_at_once(
    lock: Callable[..., RoundPlan], here: Any, tmp_path: Path
) -> None:
    here()
    reached = Campaign(lock(shut=200), tmp_path / "corpus").run(3, 1)
    deepest = max(len(steps) for steps, _ in reached.corpus)
    plan = lock(shut=deepest, examples=2)
    assert Campaign(plan, tmp_path / "new").run(1, 1).failure is None
    assert Campaign(plan, tmp_path / "corpus").run(1, 1).failure is not None


def test_unit_that_ends_its_process_is_named(tmp_path: Path, monkeypatch: Any) -> None:
    name = f"deadly_{tmp_path.name}".replace("-", "_")
    monkeypatch.syspath_prepend(str(tmp_path))
    plan = RoundPlan(name, 0, "", examples=1, steps=1, seed=0, lines=False, units=1)
    (tmp_path / f"{name}.py").write_text("import os\nos._exit(1)")
    with pytest.raises(UnitLost, match="3 processes in turn ended while they played one unit"):
        Campaign(plan, tmp_path / "corpus").run(1, 1)
    (tmp_path / f"{name}.py").write_text("1 / 0")
    with pytest.raises(UnitFailed, match="ZeroDivisionError: division by zero"):
        Campaign(plan, tmp_path / "corpus").run(1, 1)


SENT = '{"sender":"%s","to":"%s","entry":"%s","args":{%s}}'
OPEN = '"keys":[],"name":"","who":"%s"'
STEPS: tuple[Step, ...] = (
    Wait(60),
    Call("door", "open", ([1, 2], "it's \"a\"\nkey", Address(bytes(19) + b"\7")), Chain().accounts[1]),
    Call("door", "open", ([], "@bob", Chain().accounts[0]), Chain().accounts[0], 5),
)  # fmt: skip


@pytest.fixture
def notation() -> StepNotation:
    explorer = CallExplorer(DoorFuzz, lines=False)
    return StepNotation(explorer.play, explorer.targets)


def test_steps_are_read_as_written(notation: StepNotation) -> None:
    lines = notation.write(STEPS)
    assert lines[0] == '{"wait":60}'
    assert json.loads(lines[2]) == {
        "sender": "alice",
        "to": "door",
        "entry": "open",
        "args": {"keys": [], "name": "@bob", "who": "alice"},
        "value": 5,
    }
    assert notation.read(lines) == STEPS


def test_arguments_are_written_as_the_contract_gets_them(notation: StepNotation) -> None:
    lines = notation.write([Call("door", "ring", (Bell("low"),), Chain().accounts[0])])
    assert json.loads(lines[0])["args"] == {"bell": {"name": "low"}, "times": 2}
    assert notation.read(lines) == (Call("door", "ring", (Record("low"), 2), Chain().accounts[0]),)


@pytest.mark.parametrize(
    "line",
    [
        SENT % ("alice", "door", "shut", ""),  # what an edit may leave behind
        SENT % ("alice", "gate", "open", OPEN % "alice"),
        SENT % ("alice", "door", "open", '"keys":[]'),
        SENT % ("nobody", "door", "open", OPEN % "alice"),
        SENT % ("alice", "door", "open", OPEN % "nobody"),
        '{"sender":"alice","create":"Gate","args":{"width":1}}',
        '{"sender":"alice"',
        "[]",
        "7",
        "",
    ],
)
def test_play_ends_where_it_cannot_be_read(notation: StepNotation, line: str) -> None:
    lines = notation.write(STEPS)
    assert notation.read([lines[0], line, lines[1]]) == STEPS[:1]


def test_deployments_are_read_as_written() -> None:
    class GateFuzz(Fuzz):
        contracts = (Gate,)

    explorer = CallExplorer(GateFuzz, lines=False)
    notation = StepNotation(explorer.play, explorer.targets)
    step = PlannedDeployment(Gate, (3,), explorer.play.accounts[0])
    lines = notation.write([step])
    assert lines == ['{"sender":"alice","create":"Gate","args":{"width":3}}']
    assert notation.read(lines) == (step,)


def test_loaded_corpus_offers_the_same() -> None:
    there, here = Corpus(), Corpus()
    entries = [
        CorpusEntry(0, ("Lock.left", "ok"), 3, STEPS[:1]),
        CorpusEntry(1, ("Lock.turned", 1), 1, STEPS[:2]),
    ]
    there.load(entries)
    here.load(there.export())
    places = range(0, 2**16, 999)
    chosen = [(sort, there.choose(sort, place)) for sort in (0, 1) for place in places]
    assert chosen == [(sort, here.choose(sort, place)) for sort in (0, 1) for place in places]
    assert (0, STEPS[:1]) in chosen and (1, STEPS[:2]) in chosen


def test_command_fuzzes_in_rounds(
    lock: Callable[..., RoundPlan], here: Any, tmp_path: Path
) -> None:
    here()
    target, written = lock(shut=1).target, tmp_path / "test_found.py"
    words = ["fuzz", target, "--rounds", "1", "--examples", "8", "--write", str(written)]
    done = CliRunner().invoke(cli, [*words, "--corpus", str(tmp_path / "c")])
    assert done.exit_code == 1, done.output
    assert "1 rounds: " in done.output
    assert "def test_stays_shut" in written.read_text("utf-8")
    assert (tmp_path / "c" / "LockFuzz" / "corpus.json").exists()
    refused = CliRunner().invoke(cli, ["fuzz", target, "--workers", "2"])
    assert refused.exit_code == 2 and "set --rounds" in refused.output
