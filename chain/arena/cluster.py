"""Players on a cluster of Dask: workers that come and go ask a scheduler for chunks, which this process hands out.

A task is a function of this package with plain data, as the scheduler reads it and has no game. The game's code goes to each
worker once, and each of its threads plays in a process of its own, so a game may hang or end its process. Whoever reaches a
scheduler can run code on its workers: beyond this machine only TLS is allowed.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable
from dataclasses import asdict, replace
from ipaddress import ip_address
from itertools import islice
from threading import local
from typing import Any, Final
from urllib.parse import urlsplit

from distributed import Client, Future, WorkerPlugin, as_completed
from distributed.scheduler import KilledWorker

from chain.arena.match import Row
from chain.arena.persistent_player import PersistentPlayer, PlayerLost
from chain.arena.plan import Plan
from chain.arena.player_process import PlayerProcess, Setting
from chain.arena.supervisor import next_size
from chain.arena.versions import code_of, unpacked

_AHEAD: Final = 2  # chunks for each thread, so that none waits for this process
_LOOK: Final = 2.0  # seconds between two looks at who has come

_seat = local()  # of this thread: for which code, and the player


class Unsafe(ValueError):
    """A scheduler that anybody may reach."""


class ClusterLost(RuntimeError):
    """The scheduler has gone."""


def check_address(address: str) -> None:
    """Refuse a scheduler that is reached over a network without TLS."""
    parts = urlsplit(address)
    if parts.scheme == "tls":
        return
    if parts.scheme != "tcp" or not parts.hostname:
        raise Unsafe(f"{address} is no address of a scheduler: say tcp://127.0.0.1:8786 or tls://host:8786")  # fmt: skip
    if not _is_loopback(parts.hostname):
        raise Unsafe(
            f"{address} is reached over a network, and whoever reaches a scheduler runs code on its workers: use tls://"
        )


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Code(WorkerPlugin):  # type: ignore[misc]
    """A game's code, which each worker unpacks when it comes."""

    def __init__(self, key: str, code: bytes) -> None:
        self.name, self._code = f"boardchain-{key}", code

    def setup(self, worker: Any) -> None:
        unpacked(self._code)


class Cluster:
    """The games of a plan, played by the workers of a scheduler."""

    def __init__(self, plan: Plan, numbers: Iterable[int], setting: Setting, chunk: int | None, address: str) -> None:  # fmt: skip
        check_address(address)
        self._plan, self._numbers = plan, iter(numbers)
        self._setting, self._size, self._is_fixed = setting, chunk or 2, chunk is not None
        self._address = address

    def rows(self) -> Generator[list[Row], None, None]:
        """Yield the rows of one chunk after the other, as they come."""
        with Client(self._address, set_as_default=False) as client:
            code = code_of(self._plan.target, self._setting.root)
            root = unpacked(code)
            client.register_plugin(Code(root.name, code))
            yield from self._play(client, root.name)

    def _play(self, client: Client, code: str) -> Generator[list[Row], None, None]:
        chunks = as_completed()
        waiting = self._ask(client, chunks, code, 0)
        while waiting:
            future: Future = next(chunks)
            rows, seconds = self._answer(future)
            future.release()
            if not self._is_fixed:
                self._size = next_size(self._size, seconds)
            waiting = self._ask(client, chunks, code, waiting - 1)
            yield rows

    def _ask(self, client: Client, chunks: Any, code: str, waiting: int) -> int:
        """Hand out chunks until each thread has enough, and return how many are handed out."""
        enough = _AHEAD * max(1, sum(client.nthreads().values()))
        while waiting < enough and (games := list(islice(self._numbers, self._size))):
            setting = {"seconds": self._setting.seconds, "hash_seed": self._setting.hash_seed}
            # Other campaigns may be played there at the same time: no two tasks share a name.
            chunks.add(client.submit(play_chunk, asdict(self._plan), games, code, setting, pure=False))  # fmt: skip
            waiting += 1
        return waiting

    def _answer(self, future: Future) -> tuple[list[Row], float]:
        try:
            rows, seconds = future.result()
        except KilledWorker as problem:
            raise PlayerLost(f"workers ended one after the other: {problem}") from None
        except Exception as problem:
            if future.status in ("cancelled", "lost"):
                raise ClusterLost(f"the scheduler at {self._address} has gone: the same command goes on when it is back") from problem  # fmt: skip
            raise
        return [Row(*row) for row in rows], seconds


def play_chunk(plan: dict[str, Any], games: list[int], code: str, setting: dict[str, Any]) -> tuple[list[tuple[Any, ...]], float]:  # fmt: skip
    """Play games on a worker. Return their rows as plain data, and how long it took."""
    began = time.perf_counter()
    player = _player(Plan.from_json(plan), code, Setting(**setting))
    return [tuple(row) for row in player.rows(games)], time.perf_counter() - began
