"""Several players at once. One that dies is made anew and asked for its chunk again; games are pure, so nothing is lost."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Generator, Iterable
from contextlib import suppress
from dataclasses import asdict
from itertools import islice
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Final

from chain.arena.match import Row
from chain.arena.plan import Plan
from chain.replays.subprocess_runs import subprocess_env

TRIES: Final = 3  # of one chunk
_LONGEST_CHUNK: Final = 200  # games
_TIME_OF_CHUNK: Final = 1.0  # seconds, about

Answer = list[Row] | BaseException | None  # None: one of the players has nothing left to do


class PlayerLost(RuntimeError):
    """A chunk that ends every player which plays it."""


class OtherCode(RuntimeError):
    """A player has other code of the game than the plan says."""


class Supervisor:
    """Players for the games of a plan, each with a thread here that asks it for one chunk after the other."""

    def __init__(
        self, plan: Plan, numbers: Iterable[int], *, chunk: int | None, hash_seed: int
    ) -> None:
        self._plan, self._numbers = plan, iter(numbers)
        self._chunk, self._hash_seed = chunk, hash_seed
        self._lock, self._answers = Lock(), SimpleQueue[Answer]()
        self._processes: list[subprocess.Popen[str]] = []
        self._is_over = False

    def rows(self, workers: int) -> Generator[list[Row], None, None]:
        """Yield the rows of one chunk after the other, in the order in which they are played."""
        threads = [Thread(target=self._work, daemon=True) for _ in range(workers)]
        try:
            for thread in threads:
                thread.start()
            working = workers
            while working:
                answer = self._answers.get()
                if isinstance(answer, BaseException):
                    raise answer
                if answer is None:
                    working -= 1
                else:
                    yield answer
        finally:
            self._end()
            for thread in filter(Thread.is_alive, threads):
                thread.join()
            for process in self._processes:
                _close(process)

    def _end(self) -> None:
        with self._lock:
            self._is_over = True
            for process in self._processes:
                process.kill()

    def _work(self) -> None:
        try:
            player = self._start()
            size = self._chunk or 2
            while games := self._take(size):
                began = time.perf_counter()
                player, rows = self._ask(player, games)
                self._answers.put(rows)
                took = time.perf_counter() - began
                if self._chunk is None:
                    size = max(1, min(_LONGEST_CHUNK, 2 * size, int(size * _TIME_OF_CHUNK / took)))
        except _Over:
            pass
        except BaseException as problem:
            self._answers.put(problem)
        self._answers.put(None)

    def _take(self, size: int) -> list[int]:
        with self._lock:
            return [] if self._is_over else list(islice(self._numbers, size))

    def _start(self) -> subprocess.Popen[str]:
        with self._lock:
            if self._is_over:
                raise _Over
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "chain.arena.player"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8",
                env=subprocess_env(self._hash_seed),
            )  # fmt: skip
            self._processes.append(process)
        return process

    def _ask(self, player: subprocess.Popen[str], games: list[int]) -> tuple[subprocess.Popen[str], list[Row]]:  # fmt: skip
        """Return the rows of a chunk, and the player that is alive after it."""
        request = json.dumps({"plan": asdict(self._plan), "games": games})
        for _ in range(TRIES):
            answer = _answer(player, request)
            if answer is not None:
                return player, self._rows(answer)
            player.kill()
            player = self._start()
        raise PlayerLost(f"{TRIES} players in turn ended while they played the games {games[0]} to {games[-1]}")  # fmt: skip

    def _rows(self, answer: str) -> list[Row]:
        record = json.loads(answer)
        if record["digest"] != self._plan.digest:
            raise OtherCode(f"the code of {self._plan.target} has changed while it was played")
        return [Row(*row) for row in record["rows"]]


class _Over(Exception):
    """Nobody waits for answers any more."""


def _answer(player: subprocess.Popen[str], request: str) -> str | None:
    """Return the line that a player answers, None if it ends before it has written all of it."""
    assert player.stdin is not None and player.stdout is not None
    try:
        player.stdin.write(f"{request}\n")
        player.stdin.flush()
        answer = player.stdout.readline()
    except OSError:
        return None
    return answer if answer.endswith("\n") else None


def _close(player: subprocess.Popen[str]) -> None:
    assert player.stdin is not None and player.stdout is not None
    for pipe in (player.stdin, player.stdout):
        with suppress(OSError):  # it had not read all
            pipe.close()
    player.wait()
