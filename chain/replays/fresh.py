"""Playing in fresh interpreters, each with another hash seed: whatever hangs on the order of sets then comes out differently.

`python -m chain.replays.fresh` is such an interpreter: it reads a job as JSON, plays it, and answers in JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from chain.offered import Offered
from chain.replays.deeds import deeds_of
from chain.replays.playing import replay

SEEDS: Final = (0, 1, 2, 42, 4_294_967_295)
_LONGEST: Final = 600  # seconds

Answer = Mapping[str, Any]


class Failed(RuntimeError):
    """An interpreter could not play; the text is the last that it said."""


def play_under(seeds: Sequence[int], text: str, packages: Sequence[str], *, deeds: bool = False) -> list[Answer]:  # fmt: skip
    """Play a transcript to its end under each hash seed; with `deeds` it is told what each transaction did."""
    job = json.dumps({"text": text, "packages": list(packages), "deeds": deeds})
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda seed: _play(seed, job), seeds))


def _play(seed: int, job: str) -> Answer:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "chain.replays.fresh"], input=job, env=environment(seed),
        capture_output=True, text=True, encoding="utf-8", timeout=_LONGEST,
    )  # fmt: skip
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["nothing was said"]
        raise Failed(f"under hash seed {seed} it cannot be played: {said[-1]}")
    answer: Answer = json.loads(done.stdout)
    return answer


def environment(seed: int) -> dict[str, str]:
    """For a process under a hash seed that finds the modules which are found here."""
    paths = os.pathsep.join([path or os.curdir for path in sys.path])
    return {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": paths, "PYTHONIOENCODING": "utf-8"}  # fmt: skip


def main() -> None:
    job = json.loads(sys.stdin.buffer.read())
    offered = [Offered(package) for package in job["packages"]]
    out, sys.stdout = sys.stdout, sys.stderr  # what a contract's module prints is no answer
    played = replay(job["text"], offered=offered, to_the_end=True)
    chain = played.chain
    answer = {
        "hashes": [chain.block_hash(number).hex() for number in range(len(chain.blocks))],
        "text": played.text,
        "difference": None if played.ok else str(played.difference),
        "deeds": deeds_of(chain) if job["deeds"] else None,
    }
    json.dump(answer, out)


if __name__ == "__main__":
    main()
