"""Fuzzing in rounds: each has eight units, which start from everything that the earlier rounds reached, and are merged at its
end.

The work of a unit depends on its round, its number and the corpus, so the findings do not depend on the number of processes.
The result of a unit is written immediately, so nothing is lost when a run is killed. A corpus from other code is replayed
first, by all units together: its results are the start of the first round.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from chain.foundation.dataclass import dataclass
from chain.foundation.folder_lock import locked
from chain.foundation.thread_lock import ThreadLock
from chain.foundation.whole_file import write_whole
from chain.fuzz.fuzz_case import Fuzz
from chain.fuzz.fuzz_targets import descriptions
from chain.fuzz.report import Report
from chain.metering.digest import canonical_syntax
from chain.metering.program import program_of
from chain.replays.subprocess_runs import subprocess_env
from chain.source.syntax_trees import tree_of

UNITS: Final = 8  # of a round: not the number of processes, which differs between machines
TRIES: Final = 3  # of one unit

RoundWatch = Callable[[int], object]  # takes the number of finished units


class UnitLost(RuntimeError):
    """A unit that crashes every process that plays it."""


class UnitFailed(RuntimeError):
    """A description that cannot be run."""


@dataclass(frozen=True)
class RoundPlan:
    """Everything that determines the findings, except the number of rounds."""

    target: str
    index: int
    digest: str  # of the contracts, the description, and the order of deployment
    examples: int  # plays of a round
    steps: int
    seed: int
    lines: bool
    units: int = UNITS

    @classmethod
    def of(cls, target: str, index: int, **options: Any) -> RoundPlan:
        """Return the plan for the present code of a description."""
        return cls(target, index, _digest(descriptions(target)[index]), **options)


@dataclass(frozen=True)
class Job:
    """Everything that determines a unit's work."""

    target: str
    index: int  # of the description among those of the target
    examples: int
    steps: int
    seed: int
    lines: bool
    corpus: Sequence[Any]  # what the earlier rounds reached
    again: Sequence[Sequence[str]]  # plays of a former corpus, to be played again


@dataclass
class RoundState:
    """The result of some rounds."""

    rounds: int
    corpus: list[Any]  # as a unit writes it: steps, and the features that they reach
    report: Report | None = None
    failure: Mapping[str, Any] | None = None  # the first unit's that found one
    again: Sequence[Sequence[str]] = ()  # plays of a former corpus


class Campaign:
    """The rounds of a plan, in a folder."""

    def __init__(self, plan: RoundPlan, folder: Path) -> None:
        self._plan, self._folder, self._processes = plan, folder, _Processes()
        self.state = RoundState(0, [])

    def run(self, rounds: int, workers: int, watch: RoundWatch = lambda units: None) -> RoundState:
        """Play all rounds that are missing, up to the one that finds a problem."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with locked(self._folder):
            self.state = self._read()
            return self._played(rounds, workers, watch)

    def _played(self, rounds: int, workers: int, watch: RoundWatch) -> RoundState:
        watch(self._plan.units * self.state.rounds)
        pool = ThreadPoolExecutor(workers)
        try:
            while self.state.rounds < rounds and self.state.failure is None:
                answers = []
                for answer in pool.map(self._unit, range(self._plan.units)):
                    answers.append(answer)
                    watch(1)
                self.state = _merged(self.state, answers)
                self._write()
        finally:
            self._processes.end()
            pool.shutdown(cancel_futures=True)
        return self.state

    def _unit(self, number: int) -> dict[str, object]:
        """Return the answer of a unit of the next round: the one that is there, or a new one."""
        file = self._folder / f"unit-{self.state.rounds}-{number}.json"
        if not file.exists():
            write_whole(file, self._processes.play(self._job(number)))
        answer: dict[str, object] = json.loads(file.read_text("utf-8"))
        return answer

    def _job(self, number: int) -> Job:
        plan = self._plan
        text = f"{plan.seed}/{self.state.rounds}/{number}"
        seed = int.from_bytes(sha256(text.encode()).digest()[:4])
        return Job(
            plan.target, plan.index, -(-plan.examples // plan.units), plan.steps, seed, plan.lines,
            self.state.corpus, self.state.again[number :: plan.units],
        )  # fmt: skip

    def _read(self) -> RoundState:
        file, again = self._folder / "corpus.json", []
        if file.exists():
            record = json.loads(file.read_text("utf-8"))
            if record["plan"] == asdict(self._plan):
                report = record["report"] and Report.from_json(record["report"])
                return RoundState(record["rounds"], record["corpus"], report, record["failure"], record["again"])  # fmt: skip
            again = [*([record["failure"]["steps"]] if record["failure"] else ())]
            again += [lines for lines, _ in record["corpus"] if lines]
            again += [lines for lines in record["again"] if record["rounds"] == 0]
        self._drop_units()
        self.state = RoundState(0, [], again=again)
        self._write()  # units that come belong to this plan
        return self.state

    def _write(self) -> None:
        state = self.state
        record = {
            "plan": asdict(self._plan),
            "rounds": state.rounds,
            "corpus": state.corpus,
            "report": state.report and state.report.to_json(),
            "failure": state.failure,
            "again": state.again,
        }
        write_whole(self._folder / "corpus.json", json.dumps(record))
        self._drop_units()

    def _drop_units(self) -> None:
        for file in self._folder.glob("unit-*.json"):
            file.unlink()


def _merged(state: RoundState, answers: Sequence[Mapping[str, Any]]) -> RoundState:
    """Return the state after a round. Of the steps that reach a feature, the fewest are kept, then those of the first unit."""
    best: dict[str, tuple[list[str], int]] = {}  # by sort and feature: the steps, and how often met
    before = {key: met for key, _, met in _features(state.corpus)}
    for key, steps, met in _features(state.corpus):
        best[key] = steps, met
    for answer in answers:
        for key, steps, met in _features(answer["corpus"]):
            known, total = best.get(key, (steps, 0))
            shorter = steps if len(steps) < len(known) else known
            best[key] = shorter, total + met - before.get(key, 0)
    reports = [Report.from_json(answer["report"]) for answer in answers]
    report = state.report or reports.pop(0)
    for each in reports:
        report.add(each)
    failures = [answer["failure"] for answer in answers if answer["failure"] is not None]
    return RoundState(state.rounds + 1, _grouped(best), report, failures[0] if failures else None)


def _features(corpus: Sequence[Any]) -> Iterator[tuple[str, list[str], int]]:
    for steps, features in corpus:
        for sort, feature, met in features:
            yield json.dumps([sort, feature]), steps, met


def _grouped(best: Mapping[str, tuple[list[str], int]]) -> list[object]:
    groups: dict[tuple[str, ...], list[object]] = {}
    for key, (steps, met) in best.items():
        groups.setdefault(tuple(steps), []).append([*json.loads(key), met])
    return [[list(steps), features] for steps, features in groups.items()]


class _Processes:
    """The processes of a campaign. None is left when it is over."""

    def __init__(self) -> None:
        self._lock, self._is_over = ThreadLock(), False
        self._running: set[subprocess.Popen[str]] = set()

    def play(self, job: Job) -> str:
        """Return the answer of a process that plays a unit."""
        for _ in range(TRIES):
            answer = self._ask(self._start(), job)
            if answer.startswith('{"error"'):
                raise UnitFailed(json.loads(answer)["error"])
            if answer.endswith("\n"):
                return answer
        raise UnitLost(f"{TRIES} processes in turn ended while they played one unit")

    def end(self) -> None:
        with self._lock:
            self._is_over = True
            for process in self._running:
                process.kill()

    def _start(self) -> subprocess.Popen[str]:
        with self._lock:
            if self._is_over:
                raise CancelledError
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "chain.fuzz.unit"], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, encoding="utf-8", env=subprocess_env(0),
            )  # fmt: skip
            self._running.add(process)
        return process

    def _ask(self, process: subprocess.Popen[str], job: Job) -> str:
        assert process.stdin is not None and process.stdout is not None
        answer = ""
        with suppress(OSError), process:
            process.stdin.write(f"{json.dumps(asdict(job))}\n")
            process.stdin.flush()
            answer = process.stdout.read()  # its stdin stays open as long as the parent waits
        with self._lock:
            self._running.discard(process)
        return answer


def _digest(description: type[Fuzz]) -> str:
    play = description()
    targets = [(name, handle.contract) for name, handle in play.handles.items()]
    targets += [("", contract) for contract in play.missing]
    digest = sha256()
    for name, contract in targets:
        digest.update(name.encode() + program_of(contract).digest)
    file = getattr(sys.modules[description.__module__], "__file__", None)
    if file is not None:
        digest.update(canonical_syntax(tree_of(file, Path(file).read_text("utf-8"))).encode())
    return digest.hexdigest()[:32]
