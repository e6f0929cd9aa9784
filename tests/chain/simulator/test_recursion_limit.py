"""The interpreter's recursion limit belongs to the program, not to the chain."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import chain as public

LIMIT = """
import sys
from chain import Chain, Contract, call
from {module} import Deep

limits = [sys.getrecursionlimit()]
chain = Chain()
deep = chain.deploy(Deep)
limits.append(sys.getrecursionlimit())
deep.work(1)
limits.append(sys.getrecursionlimit())
print(set(limits) == {{1000}})
"""
BRANCHES = """
from chain import Contract, call
from chain.types import u64


class Deep(Contract):
    @call
    def work(self, x: u64) -> u64:
        if x == 0:
            return 0
"""


def run_deep(folder: Path, branches: int) -> subprocess.CompletedProcess[str]:
    lines = (f"        elif x == {i}:\n            return {i}\n" for i in range(1, branches))
    (folder / "deep.py").write_text(BRANCHES + "".join(lines) + "        return 0\n")
    (folder / "play.py").write_text(LIMIT.format(module="deep"))
    command = [sys.executable, "play.py"]
    path = f"{Path(public.__file__).parents[1]}"
    return subprocess.run(
        command, cwd=folder, env={"PYTHONPATH": path}, capture_output=True, text=True, check=False
    )


def test_recursion_limit_is_left_to_the_program(tmp_path: Path) -> None:
    done = run_deep(tmp_path, 200)  # which takes more than the limit to read
    assert done.stdout == "True\n", done.stderr


def test_source_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    last = run_deep(tmp_path, 800).stderr.strip().splitlines()[-1]
    assert "deep.py: this file is too deeply nested to be read: replace its" in last
