"""Contracts played in other processes: under hash seeds, and on other versions of Python."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from textwrap import indent

import chain

ROOT = Path(chain.__file__).parents[1]
# Each entry's result, ticks and gas, and the hash of the last block.
PLAY = """
import sys
sys.path.insert(0, sys.argv[1])
from chain import Chain
from walker import COUNT, Walker
chain = Chain(seed=3)
walker = chain.deploy(Walker)
for number in range(COUNT):
    receipt = getattr(walker, f"entry{number}")()
    print(f"{receipt.return_value!a} [{receipt.ticks} {receipt.gas_used}]")
print(chain.block_hash().hex())
"""


def write_walker(folder: Path, head: str, bodies: Iterable[str]) -> None:
    """Write a module with a contract that has an entry for each body."""
    entries = [
        f"    @call\n    def entry{number}(self) -> str:\n{indent(body, ' ' * 8)}\n"
        for number, body in enumerate(bodies)
    ]
    text = "\n".join([head, "class Walker(Contract):", *entries, f"COUNT = {len(entries)}", ""])
    (folder / "walker.py").write_text(text, "utf-8")


def play_under(seed: int, folder: Path, python: str = sys.executable) -> list[str]:
    found = subprocess.run(
        [python, "-c", PLAY, str(folder)],
        env={**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert found.stderr == "", found.stderr[-2000:]
    return found.stdout.splitlines()


@cache
def other_pythons() -> list[str]:
    """Return the other versions of Python on the path that can import the chain."""
    names = (f"python3.{minor}" for minor in range(11, 16) if minor != sys.version_info.minor)
    found = filter(None, map(shutil.which, names))
    return [path for path in found if _runs(path)]


def _runs(python: str) -> bool:
    command = [python, "-c", "import chain.simulator.chain"]
    return subprocess.run(command, cwd=ROOT, capture_output=True).returncode == 0
