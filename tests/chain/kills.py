"""Processes to kill: each is a fork of one that has imported everything, so that a thousand of them take minutes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from signal import SIGKILL
from threading import Timer
from typing import IO

ROOT = Path(__file__).parents[2]
NURSERY = """
import json, os, runpy, sys
import chain.cli.main, chain.cli.commands.node, chain.cli.commands.deploy, chain.cli.commands.run, chain.rpc.server.server

for line in sys.stdin:
    words, pipe = json.loads(line)
    child = os.fork()
    if not child:
        os.dup2(os.open(pipe + ".wrong", os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
        os.dup2(os.open(pipe, os.O_WRONLY), 1)
        sys.argv = words
        try:
            if words[0] == "boardchain":
                chain.cli.main.main()
            runpy.run_path(words[0], run_name="__main__")
        finally:
            sys.stdout.flush()
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""

# A command line that is killed before write number `moment` of the files of a deployment.
DYING = """
import os, signal, sys
moment = int(sys.argv.pop())
from chain.cli.main import main

writes, sync = iter(range(1000)), os.fsync

def dying(file):
    if next(writes) == moment:
        os.kill(os.getpid(), signal.SIGKILL)
    sync(file)

os.fsync = dying
main()
"""


class Process:
    """A running process: its output, and how it ended."""

    def __init__(self, number: int, told: IO[str], nursery: IO[str], wrong: Path) -> None:
        self._number, self.told, self._nursery, self._wrong = number, told, nursery, wrong
        self._killer: Timer | None = None

    def kill(self, after: float, how: int = SIGKILL) -> None:
        """Kill it after some seconds, if it still runs."""
        self._killer = Timer(after, self._kill, [how])
        self._killer.start()

    def _kill(self, how: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(self._number, how)

    def end(self) -> tuple[int, str]:
        """Wait for the end; return the exit code and the error output."""
        self.told.close()
        how = int(self._nursery.readline())
        if self._killer is not None:
            self._killer.cancel()
            self._killer.join()
        return how, self._wrong.read_text("utf-8")


class Nursery:
    """Starts processes, one after the other."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._count = folder, 0
        (folder / "none_here.py").write_text("")  # the games are not imported for this
        self.process = subprocess.Popen(
            [sys.executable, "-c", NURSERY],
            env={
                **os.environ,
                "PYTHONPATH": f"{ROOT}:{folder}",
                "BOARDCHAIN_CONTRACTS": "none_here",
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def begin(self, *words: object) -> Process:
        """A script with its arguments, or `boardchain` with its own."""
        self._count += 1
        pipe = self._folder / f"{self._count}.pipe"
        os.mkfifo(pipe)
        assert self.process.stdin is not None and self.process.stdout is not None
        print(json.dumps([list(map(str, words)), str(pipe)]), file=self.process.stdin, flush=True)
        number = int(self.process.stdout.readline())
        told = pipe.open()
        pipe.unlink()
        return Process(number, told, self.process.stdout, Path(f"{pipe}.wrong"))


@contextmanager
def nursery(folder: Path) -> Iterator[Nursery]:
    made = Nursery(folder)
    try:
        yield made
    finally:
        made.process.communicate(timeout=30)
