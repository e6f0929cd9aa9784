"""`pytest --double-run`: run the same tests again under other hash seeds, and check that every chain has the same outcome.

In each run the chains of a test are kept until it ends, and their transactions are recorded on a tape: one line of JSON per
test, with a hash for each chain. The first run has the hash seed of pytest itself; four more are processes with the same
arguments. A test with a different hash runs again alone and lists the outcome of each transaction, so that the first
difference can be named. Tests of Hypothesis are left out: their transactions differ each time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from chain.crypto.hashing import keccak
from chain.foundation import creation_hooks
from chain.plugins.pytest_plugin.isolation import ChainIsolation
from chain.replays.outcomes import first_divergence, outcomes_of
from chain.replays.recorder import record
from chain.replays.subprocess_runs import SEEDS, subprocess_env
from chain.simulator.chain import Chain

_TAPE: Final = "BOARDCHAIN_TAPE"  # the folder for the tapes of a run
_DEEDS: Final = "BOARDCHAIN_DEEDS"  # set if the run lists the outcomes
_LONGEST: Final = 3600  # seconds
_ENDS: Final = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)

ReportLine = Mapping[str, object]


class HashSeedRuns:
    """Writes the tape of this process; the first process also starts the other runs and compares the tapes."""

    def __init__(self, config: pytest.Config, anchors: ChainIsolation) -> None:
        self._config, self._anchors = config, anchors
        self._held: list[Chain] = []
        self._first = None if _TAPE in os.environ else tempfile.TemporaryDirectory()
        if self._first is not None:
            os.environ[_TAPE] = str(Path(self._first.name, "first"))
        self._tape = Path(os.environ[_TAPE])
        self._tape.mkdir(exist_ok=True)
        self._told: list[str] = []  # the differences and problems
        self._well = "nothing was compared"
        creation_hooks.creation_listeners.append(self._held.append)

    def pytest_unconfigure(self) -> None:
        creation_hooks.creation_listeners.remove(self._held.append)
        if self._first is not None:
            del os.environ[_TAPE]
            self._first.cleanup()

    # Writing

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._held.clear()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        try:
            return (yield)
        finally:
            if not _is_drawn(item):
                self._write(item.nodeid)

    def _write(self, test: str) -> None:
        """Write the line of a test, from its chains before they are reverted."""
        began = self._anchors.began
        chains = [chain for chain in began if len(chain.receipts) > began[chain]]
        hashes = [keccak(record(chain).encode()).hex() for chain in chains]
        line: dict[str, object] = {"test": test, "chains": hashes}
        if _DEEDS in os.environ:
            line["deeds"] = [outcomes_of(chain) for chain in chains]
        with Path(self._tape, f"{os.getpid()}.jsonl").open("a", encoding="utf-8") as tape:
            tape.write(f"{json.dumps(line)}\n")

    # Comparing

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._first is None or session.exitstatus not in _ENDS:
            return
        self._compare(Path(self._first.name))
        if self._told:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _compare(self, folder: Path) -> None:
        first = _read(self._tape)
        different: dict[str, int] = {}
        own = os.environ.get("PYTHONHASHSEED")
        for seed in [seed for seed in SEEDS if str(seed) != own][: len(SEEDS) - 1]:
            arguments = [str(argument) for argument in self._config.invocation_params.args]
            repeated = self._run(folder / str(seed), seed, arguments)
            for test, line in first.items():
                if repeated.get(test, {}).get("chains") != line["chains"]:
                    different.setdefault(test, seed)
        self._told += [
            f"{test}: {self._first_difference(folder, test, seed)}"
            for test, seed in different.items()
        ]
        self._well = f"{len(first)} test{'s' * (len(first) != 1)} left the same chains under {len(SEEDS)} hash seeds"

    def _run(
        self, folder: Path, seed: int, arguments: Sequence[str], **more: str
    ) -> dict[str, ReportLine]:
        process = subprocess.run(
            [sys.executable, "-m", "pytest", *arguments],
            env={**subprocess_env(seed), _TAPE: str(folder), **more},
            cwd=self._config.invocation_params.dir, capture_output=True, timeout=_LONGEST,
        )  # fmt: skip
        if process.returncode not in _ENDS:
            self._told.append(f"under hash seed {seed} pytest ended with {process.returncode}")
        return _read(folder)

    def _first_difference(self, folder: Path, test: str, seed: int) -> str:
        """Return the first difference of a test between this seed and the first other seed that gives one."""
        positional = {str(argument) for argument in self._config.args}
        options = [
            str(argument)
            for argument in self._config.invocation_params.args
            if str(argument) not in positional
        ]
        runs: list[tuple[int, Any]] = []
        for run_seed in (seed, *(other for other in SEEDS if other != seed)):
            arguments = [*options, f"{self._config.rootpath}/{test}"]
            line = self._run(folder / f"deeds{run_seed}", run_seed, arguments, **{_DEEDS: "1"}).get(
                test
            )
            if line is None:
                return f"under hash seed {run_seed} it cannot run alone"
            runs.append((run_seed, line["deeds"]))
            (one, ours), (other, theirs) = runs[0], runs[-1]
            for own_outcomes, other_outcomes in zip(ours, theirs, strict=False):
                if divergence := first_divergence(own_outcomes, other_outcomes):
                    return divergence.told(f"under hash seed {one}", f"under hash seed {other}")
        return f"its chains under hash seed {seed} differ from those of the first run"

    # Reporting

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        for line in self._told:
            terminalreporter.write_line(f"double run: {line}", red=True)
        if self._first is not None and not self._told:
            terminalreporter.write_line(f"double run: {self._well}", green=True)


def _is_drawn(item: pytest.Item) -> bool:
    """True if Hypothesis draws the transactions of a test."""
    test = getattr(item, "obj", None)
    return hasattr(test, "hypothesis") or hasattr(test, "_hypothesis_state_machine_class")


def _read(folder: Path) -> dict[str, ReportLine]:
    """Return the lines of a run by test, from the tapes of all its processes."""
    texts = [file.read_text("utf-8") for file in folder.glob("*.jsonl")]
    lines = [json.loads(line) for text in texts for line in text.splitlines()]
    return {line["test"]: line for line in lines}
