"""Replays in new interpreters that differ in conditions that must not affect a play.

These are the hash seed, which determines the order of sets; the time when the contracts are loaded; and the version of Python.
`python -m chain.replays.subprocess_runs` is such an interpreter: it reads a job as JSON, plays it, and answers in JSON.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Final, TypedDict

from chain.abi.json_abi import JsonObject
from chain.foundation.dataclass import dataclass
from chain.replays.outcomes import outcomes_of
from chain.replays.player import replay
from chain.simulator.catalogue import ContractCatalogue

SEEDS: Final = (0, 1, 2, 42, 4_294_967_295)
_LONGEST: Final = 600  # seconds
_NEWEST: Final = 20  # the search for versions 3.x ends before this one

# The folder of this Boardchain. After an editable install no path contains it.
_HOME: Final = str(Path(__file__).parents[2])


class RunAnswer(TypedDict):
    """The answer of an interpreter."""

    hashes: list[str]  # of the blocks
    outcomes: list[JsonObject]  # of the transactions, with ticks, which are not part of a block
    difference: str | None  # from the transcript


class Failed(RuntimeError):
    """An interpreter could not play. The text is the last line of its stderr."""


@dataclass(frozen=True)
class SubprocessRun:
    """One interpreter."""

    seed: int = 0
    anew: bool = False  # true if all contracts are loaded again halfway
    python: str = sys.executable
    version: str = ""  # empty for the version of this process

    def __str__(self) -> str:
        if self.version:
            return f"on Python {self.version}"
        return (
            "with the contracts loaded again halfway"
            if self.anew
            else f"under hash seed {self.seed}"
        )


def play_in(
    runs: Sequence[SubprocessRun],
    text: str,
    packages: Sequence[str],
    watch: Callable[[], object] = bool,
) -> list[RunAnswer]:
    """Play a transcript to its end in each interpreter."""

    def play(run: SubprocessRun) -> RunAnswer:
        job = {"text": text, "packages": [*packages], "anew": run.anew}
        answer = _play(run, json.dumps(job))
        watch()
        return answer

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(play, runs))


def _play(run: SubprocessRun, job: str) -> RunAnswer:
    process = subprocess.run(
        [run.python, "-P", "-m", "chain.replays.subprocess_runs"], input=job, env=subprocess_env(run.seed, run.version),
        capture_output=True, text=True, encoding="utf-8", timeout=_LONGEST,
    )  # fmt: skip
    if process.returncode:
        stderr_lines = process.stderr.strip().splitlines() or ["no output"]
        raise Failed(f"{run} it cannot be played: {stderr_lines[-1]}")
    answer: RunAnswer = json.loads(process.stdout)
    return answer


def subprocess_env(seed: int, version: str = "") -> dict[str, str]:
    """Return the environment of a process with a hash seed that finds the same modules as this one.

    A process of another version of Python uses its own installed packages.
    """
    search_path = [path or os.curdir for path in sys.path]
    if version:
        installed = {
            sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")
        }
        search_path = [
            path
            for path in (*search_path, _HOME)
            if not any(path.startswith(str(folder)) for folder in installed)
        ]
    paths = os.pathsep.join(search_path)
    return {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": paths, "PYTHONIOENCODING": "utf-8"}  # fmt: skip


@cache
def other_versions() -> tuple[SubprocessRun, ...]:
    """Return the other versions of Python on this machine that have all the packages that Boardchain needs."""
    own = sys.version_info.minor
    runs = []
    for minor in range(11, _NEWEST):
        python = shutil.which(f"python3.{minor}")
        run = SubprocessRun(python=python or "", version=f"3.{minor}")
        if python is not None and minor != own and _is_fit(run):
            runs.append(run)
    return tuple(runs)


def _is_fit(run: SubprocessRun) -> bool:
    """Return True if an interpreter can import this module."""
    try:
        process = subprocess.run(
            [run.python, "-P", "-c", "import chain.replays.subprocess_runs"],
            env=subprocess_env(0, run.version), capture_output=True,
            timeout=_LONGEST,
        )  # fmt: skip
    except OSError:
        return False
    return process.returncode == 0


def main() -> None:
    """Play the job on stdin and write the answer to stdout."""
    job = json.loads(sys.stdin.buffer.read())
    offered = [ContractCatalogue(package) for package in job["packages"]]
    # Output of a contract's module must not mix with the answer.
    out, sys.stdout = sys.stdout, sys.stderr
    played = replay(job["text"], offered=offered, to_the_end=True, anew=job["anew"])
    chain = played.chain
    answer: RunAnswer = {
        "hashes": [chain.block_hash(number).hex() for number in range(len(chain.blocks))],
        "outcomes": outcomes_of(chain),
        "difference": None if played.ok else str(played.difference),
    }
    json.dump(answer, out)


if __name__ == "__main__":
    main()
