"""Players on a cluster of Dask: workers that come and go ask a scheduler for chunks, which this process hands out.

A task is a function of this package with plain data, because the scheduler reads it too, and does not have the game. The
game's code goes to each worker once, and each thread of a worker plays in a process of its own, so a game may hang or crash
its process.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import asdict
from itertools import islice
from logging import getLogger
from ssl import SSLError
from threading import get_ident
from typing import Any, Final, TypeAlias

from distributed import Client, Future, Security, WorkerPlugin, as_completed
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker

from chain.arena.match import Row
from chain.arena.persistent_player import PersistentPlayer, PlayerLost
from chain.arena.plan import Plan
from chain.arena.player_process import PlayerProcess, PlayerSetting
from chain.arena.supervisor import next_size
from chain.arena.versions import code_of, folder_of, unpacked

_AHEAD: Final = 2  # chunks for each thread, so that none waits for this process
_CONNECTS: Final = 20  # seconds

ClusterAnswer: TypeAlias = tuple[
    list[tuple[Any, ...]], float
]  # rows, and the seconds that they took

_TLS: Final = "DASK_DISTRIBUTED__COMM__TLS__"
_log: Final = getLogger(__name__)
_players: Final[dict[int, tuple[Any, PersistentPlayer]]] = {}  # of a worker, by thread


class ClusterLost(RuntimeError):
    """The scheduler is gone, or never existed."""

    def __init__(self, address: str) -> None:
        super().__init__(
            f"the scheduler at {address} cannot be reached; once it runs, repeat the command to continue"
        )


class NoCertificate(RuntimeError):
    """A connection by TLS needs certificates, and this process has none that it can use."""

    def __init__(self, reason: object) -> None:
        super().__init__(
            f"tls:// needs the files that {_TLS}CA_FILE, {_TLS}CLIENT__CERT and {_TLS}CLIENT__KEY name: {reason}"
        )


class SchedulerRefused(RuntimeError):
    """A scheduler and this process do not accept each other."""

    def __init__(self, address: str, problem: CommClosedError) -> None:
        if address.startswith("tcp:"):
            super().__init__(f"{address} closes the connection: if it uses TLS, write tls://")
            return
        reason = getattr(problem.__cause__, "verify_message", "one of them is not accepted")
        super().__init__(
            f"{address} and this process need valid certificates of the same authority: {reason}"
        )


class Code(WorkerPlugin):
    """A game's code, which each worker unpacks when it joins."""

    def __init__(self, digest: str, code: bytes) -> None:
        self.name, self._code = f"boardchain-{digest}", code

    def setup(self, worker: object) -> None:
        unpacked(self._code)


class Cluster:
    """The games of a plan, played by the workers of a scheduler."""

    def __init__(
        self,
        plan: Plan,
        numbers: Iterable[int],
        setting: PlayerSetting,
        chunk: int | None,
        address: str,
    ) -> None:
        self._plan, self._numbers, self._address = plan, iter(numbers), address
        self._size, self._is_fixed = chunk or 2, chunk is not None
        self._code = code_of(plan.target, setting.root)
        self._digest = unpacked(self._code).name
        self._job = {
            "plan": asdict(plan),
            "code": self._digest,
            "seconds": setting.seconds,
            "hash_seed": setting.hash_seed,
        }

    def rows(self) -> Generator[list[Row], None, None]:
        """Yield the rows of the chunks as they come."""
        try:
            with _silence(), _client(self._address) as client:
                if not client.nthreads():
                    _log.warning("no worker has joined %s yet: games wait for one", self._address)
                client.register_plugin(Code(self._digest, self._code))
                yield from self._played(client)
                client.run(end_players, self._job, on_error="ignore")  # of a worker that has gone
        except OSError:  # whatever Dask was doing, its connection has closed
            raise ClusterLost(self._address) from None

    def _played(self, client: Client) -> Generator[list[Row], None, None]:
        chunks, waiting = as_completed(loop=client.loop), 0
        while waiting := self._ask(client, chunks, waiting):
            rows, seconds = self._answer(next(chunks))
            if not self._is_fixed:
                self._size = next_size(self._size, seconds)
            waiting -= 1
            yield rows

    def _ask(self, client: Client, chunks: Any, waiting: int) -> int:
        """Hand out chunks until each thread has enough. Return the number of chunks that are out."""
        enough = _AHEAD * max(1, sum(client.nthreads().values()))
        while waiting < enough and (games := list(islice(self._numbers, self._size))):
            # Other campaigns may be played there too, so each task has a unique name.
            chunks.add(client.submit(play_chunk, self._job, games, pure=False))
            waiting += 1
        return waiting

    def _answer(self, future: Future[ClusterAnswer]) -> tuple[list[Row], float]:
        try:
            rows, seconds = future.result()
        except KilledWorker as problem:
            raise PlayerLost(f"workers ended one after the other: {problem}") from None
        except CancelledError:
            raise ClusterLost(self._address) from None
        future.release()
        return [Row(*row) for row in rows], seconds


@contextmanager
def _silence() -> Iterator[None]:
    """Keep Dask from printing the traceback of a connection that is lost: `ClusterLost` says so."""
    log = getLogger("distributed.client")
    before, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = before


def _client(address: str) -> Client:
    security = Security()  # as Dask's settings say
    try:
        if address.startswith("tls:") and not security.get_connection_args("client")["ssl_context"]:
            raise NoCertificate("not all are set")
    except SSLError:
        raise NoCertificate("they do not fit together") from None
    except OSError as problem:
        raise NoCertificate(problem.strerror) from None
    try:
        return Client(address, security=security, set_as_default=False, timeout=_CONNECTS)
    except CommClosedError as problem:  # a server answered
        raise SchedulerRefused(address, problem) from None


def play_chunk(job: dict[str, object], games: list[int]) -> ClusterAnswer:
    """Play games, on a worker."""
    began = time.perf_counter()
    rows = [tuple(row) for row in _player(job).rows(games)]
    return rows, time.perf_counter() - began


def end_players(job: dict[str, object]) -> None:
    """End the players of this job, on a worker."""
    for thread, (known, player) in [*_players.items()]:
        if known == job:
            del _players[thread]
            player.close()


def _player(job: dict[str, Any]) -> PersistentPlayer:
    """Return the player of this thread."""
    known, player = _players.get(get_ident(), (None, None))
    if known == job and player is not None:
        return player
    if player is not None:
        player.close()
    plan, root = Plan.from_json(job["plan"]), folder_of(job["code"])
    setting = PlayerSetting(root, job["seconds"], job["hash_seed"])
    player = PersistentPlayer(plan, lambda: PlayerProcess(plan, setting))
    _players[get_ident()] = job, player
    return player
