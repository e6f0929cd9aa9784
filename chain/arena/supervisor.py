"""Several parallel players on this machine, each with a thread here that gives it chunks."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable
from itertools import islice
from queue import SimpleQueue
from threading import Thread
from typing import Final

from chain.arena.match import Row
from chain.arena.persistent_player import PersistentPlayer
from chain.arena.plan import Plan
from chain.arena.player_process import PlayerProcess, PlayerSetting
from chain.foundation.thread_lock import ThreadLock

_LONGEST_CHUNK: Final = 200  # games
_TIME_OF_CHUNK: Final = 1.0  # seconds, about

Answer = list[Row] | BaseException | None  # None: one of the players has nothing left to do


def next_size(size: int, seconds: float) -> int:
    """Return the number of games that take about a second, given the time of an earlier chunk."""
    return max(1, min(_LONGEST_CHUNK, 2 * size, int(size * _TIME_OF_CHUNK / seconds)))


class Supervisor:
    """Players for the games of a plan."""

    def __init__(self, plan: Plan, numbers: Iterable[int], setting: PlayerSetting, chunk: int | None) -> None:  # fmt: skip
        self._plan, self._numbers = plan, iter(numbers)
        self._setting, self._chunk = setting, chunk
        self._lock, self._answers = ThreadLock(), SimpleQueue[Answer]()
        self._processes: list[PlayerProcess] = []
        self._is_over = False

    def rows(self, workers: int) -> Generator[list[Row], None, None]:
        """Yield the rows of the chunks in the order in which they are played."""
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
                process.close()

    def _end(self) -> None:
        with self._lock:
            self._is_over = True
            for process in self._processes:
                process.kill()

    def _work(self) -> None:
        try:
            player = PersistentPlayer(self._plan, self._start)
            size = self._chunk or 2
            while games := self._take(size):
                began = time.perf_counter()
                self._answers.put([*player.rows(games)])
                if self._chunk is None:
                    size = next_size(size, time.perf_counter() - began)
        except _Over:
            pass
        except BaseException as problem:
            self._answers.put(problem)
        self._answers.put(None)

    def _take(self, size: int) -> list[int]:
        with self._lock:
            return [] if self._is_over else list(islice(self._numbers, size))

    def _start(self) -> PlayerProcess:
        with self._lock:
            if self._is_over:
                raise _Over
            process = PlayerProcess(self._plan, self._setting)
            self._processes.append(process)
        return process


class _Over(Exception):
    """Nobody waits for answers any longer."""
