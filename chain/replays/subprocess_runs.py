"""Playing in fresh interpreters, which differ in what a play must not hang on: the hash seed, by which Python puts sets in
order; when the contracts were loaded; the version of Python.

`python -m chain.replays.subprocess_runs` is such an interpreter: it reads a job as JSON, plays it, and answers in JSON.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from chain.replays.outcomes import outcomes_of
from chain.replays.player import replay
from chain.simulator.catalogue import ContractCatalogue

SEEDS: Final = (0, 1, 2, 42, 4_294_967_295)
_LONGEST: Final = 600  # seconds
_NEWEST: Final = 20  # of the versions 3.x that are looked for

# Where this Boardchain lies: installed so that it can be edited, it is on no path.
_HOME: Final = str(Path(__file__).parents[2])

Answer = Mapping[str, Any]


class Failed(RuntimeError):
    """An interpreter could not play; the text is the last that it said."""


@dataclass(frozen=True)
class Run:
    """One interpreter."""

    seed: int = 0
    anew: bool = False  # half way all contracts are loaded again
    python: str = sys.executable
    version: str = ""  # where it is not that of this process

    def __str__(self) -> str:
        if self.version:
            return f"on Python {self.version}"
        return (
            "with the contracts loaded again half way"
            if self.anew
            else f"under hash seed {self.seed}"
        )


def play_in(runs: Sequence[Run], text: str, packages: Sequence[str], *, deeds: bool = False) -> list[Answer]:  # fmt: skip
    """Play a transcript to its end in each interpreter; with `deeds` it is told what each transaction did."""
    job = {"text": text, "packages": list(packages), "deeds": deeds}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda run: _play(run, json.dumps({**job, "anew": run.anew})), runs))


def _play(run: Run, job: str) -> Answer:
    done = subprocess.run(
        [run.python, "-P", "-m", "chain.replays.subprocess_runs"], input=job, env=subprocess_env(run.seed, run.version),
        capture_output=True, text=True, encoding="utf-8", timeout=_LONGEST,
    )  # fmt: skip
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["nothing was said"]
        raise Failed(f"{run} it cannot be played: {said[-1]}")
    answer: Answer = json.loads(done.stdout)
    return answer


def subprocess_env(seed: int, version: str = "") -> dict[str, str]:
    """For a process under a hash seed that finds the modules which are found here; another version has its own ones."""
    here = [path or os.curdir for path in sys.path]
    if version:
        installed = {
            sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")
        }
        here = [
            path
            for path in (*here, _HOME)
            if not any(path.startswith(str(each)) for each in installed)
        ]
    paths = os.pathsep.join(here)
    return {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": paths, "PYTHONIOENCODING": "utf-8"}  # fmt: skip


@cache
def other_versions() -> tuple[Run, ...]:
    """The other versions of Python on this machine that have all that Boardchain needs."""
    own = sys.version_info.minor
    found = []
    for minor in range(11, _NEWEST):
        python = shutil.which(f"python3.{minor}")
        run = Run(python=python or "", version=f"3.{minor}")
        if python is not None and minor != own and _is_fit(run):
            found.append(run)
    return tuple(found)


def _is_fit(run: Run) -> bool:
    try:
        done = subprocess.run(
            [run.python, "-P", "-c", "import chain.replays.subprocess_runs"],
            env=subprocess_env(0, run.version), capture_output=True,
            timeout=_LONGEST,
        )  # fmt: skip
    except OSError:
        return False
    return done.returncode == 0


def main() -> None:
    job = json.loads(sys.stdin.buffer.read())
    offered = [ContractCatalogue(package) for package in job["packages"]]
    out, sys.stdout = sys.stdout, sys.stderr  # what a contract's module prints is no answer
    played = replay(job["text"], offered=offered, to_the_end=True, anew=job["anew"])
    chain = played.chain
    answer = {
        "hashes": [chain.block_hash(number).hex() for number in range(len(chain.blocks))],
        "ticks": [receipt.ticks for receipt in chain.receipts],
        "text": played.text,
        "difference": None if played.ok else str(played.difference),
        "deeds": outcomes_of(chain) if job["deeds"] else None,
    }
    json.dump(answer, out)


if __name__ == "__main__":
    main()
