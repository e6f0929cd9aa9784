"""Answers requests one after the other, so that none of them blocks the others.

A request that runs contracts, or an SQL query, is first tried for a short time. If that is not enough, it is undone and run
again in a worker, a copy of the node, while the node continues. A read-only call ends there. A transaction returns the growth
of the chain, and the node takes it over as a watcher takes over what a file has more. If the chain changed meanwhile, the
transaction runs again. So transactions are ordered by when they are done.
"""

from __future__ import annotations

import asyncio
import gc
import os
import pickle
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from copy import deepcopy
from functools import partial
from pathlib import Path
from time import monotonic, thread_time
from typing import Any, Final

from chain.foundation.atomic_steps import in_one_step
from chain.foundation.turn import in_turn
from chain.foundation.watchdog import TimeUp, within
from chain.ledger.blocks import Mining
from chain.ledger.file.growth import Growth, follow, growth_since, lengths_of
from chain.ledger.file.store import ChainStore
from chain.rpc.chain import sql
from chain.rpc.errors import RpcError, refused
from chain.rpc.json_messages import answer_one, error_bytes
from chain.rpc.methods import AS_TEXT, METHODS, READ_ONLY_CALLS, RERUNS, REWRITES, SENDS
from chain.rpc.node import ConnectionMethods, Node
from chain.rpc.queue import Queue
from chain.rpc.server.plain_requests import MustWait
from chain.rpc.server.worker import CAN_FORK, ENDING, NeedsFile, Worker
from chain.simulator.chain import Chain

_TRIAL_SECONDS: Final = 0.04  # seconds of computing for which a request is tried in the node
# The same while workers are busy, when many such requests may arrive.
_SHORT_TRIAL_SECONDS: Final = 0.02
_ATTEMPTS: Final = 3  # on a busy machine, where a copy of the process would have to wait too
# Number of slow requests that are remembered, so that they are not tried again.
_REMEMBERED: Final = 1_000
_MEMORY: Final = 10.0  # seconds for which a slow request is remembered
_TURN: Final = 1.0  # seconds a worker has before it must make room for others
_SELECTOR: Final = 10  # characters of calldata that select the entry
_SHOWN: Final = 100
_ROUNDS: Final = 2  # parallel runs of a transaction before all others wait for it
_WAIT: Final = 3.0  # seconds for which others may have to wait for one transaction
_SENT: Final = b"sent"
_MAY_WAIT: Final = READ_ONLY_CALLS | SENDS | RERUNS | REWRITES | {sql.sql}

Job = Callable[[], bytes | None]


class Runner:
    """Answers the requests to one node."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._workers: dict[Worker, float] = {}  # worker to start time
        self._long: dict[object, float] = {}  # kind of slow request to when it may be tried again
        self._line = asyncio.Lock()  # queue of the transactions that need the chain to themselves
        self._is_free = asyncio.Event()  # set while no transaction has the chain to itself
        self._is_free.set()
        self._is_over = False
        self._is_sending_ready = False
        node.sends_ready = not CAN_FORK

    @property
    def is_held(self) -> bool:
        """True if a transaction has the chain to itself, so that nothing else may change it."""
        return not self._is_free.is_set()

    def close(self) -> None:
        """End all workers. Their work is discarded."""
        self._is_over, self._node.sends_ready = True, True
        for worker in self._workers:
            worker.end(ENDING)

    def answer_at_once(self, message: Any, room: int) -> bytes | None:
        """Return the answer to a request that takes a short time and waits for nothing, or raise `MustWait`."""
        if self._node.queue and not self._node.sends_ready:
            raise MustWait
        name = message.get("method")
        method = METHODS.get(name) if CAN_FORK and isinstance(name, str) else None
        if method not in _MAY_WAIT:
            return answer_one(self._node, message, AS_TEXT, room)
        run = partial(answer_one, self._node, message, AS_TEXT, room)
        try:
            if method in READ_ONLY_CALLS:
                return self._attempt(self._try, run, message)
            if method in SENDS and not self.is_held:
                return self._attempt(self._try_to_send, run, message)
        except (TimeUp, RpcError):
            pass
        raise MustWait

    async def answer(self, message: object, own: ConnectionMethods, room: int) -> bytes | None:
        """Return the answer to one request as bytes, or None for a notification. `own` has the methods of the connection."""
        raw = await self._answer(message, own, room)
        await self._send_ready()
        return raw

    async def _answer(self, message: Any, own: ConnectionMethods, room: int) -> bytes | None:
        name = message.get("method") if isinstance(message, dict) else None
        method = METHODS.get(name) if CAN_FORK and isinstance(name, str) else None
        run = partial(answer_one, self._node, message, own, room)
        try:
            if method is sql.sql:
                answer = partial(answer_one, message=message, own=own, room=room)
                return await self._query(answer, message.get("params"))
            if method in READ_ONLY_CALLS:
                return await self._look(run, message)
            if method in SENDS:
                await self._is_free.wait()
                return await self._send(run, message)
            is_rerun = method in RERUNS and self._node.chain.ledger.open is not None
            if is_rerun or method in REWRITES:
                return await self._send_from_worker(run)
        except RpcError as error:
            return error_bytes(error, message["id"]) if message.get("id") is not None else None
        except NeedsFile:
            pass  # only the node can read the file, so run it here while the others wait
        return run()

    async def _send_ready(self) -> None:
        """Send the queued transactions whose turn has come, each as a request of its own."""
        if self._is_sending_ready or self._node.sends_ready:
            return
        self._is_sending_ready = True
        try:
            while self._node.queue and await self._send_one_ready():
                pass
        except RpcError:
            pass  # others came first, or it takes too much time or memory: the next request tries again
        finally:
            self._is_sending_ready = False

    async def _send_one_ready(self) -> bool:
        def run() -> bytes:
            return _SENT if self._node.send_ready() else b""

        await self._is_free.wait()
        try:
            return await self._send(run, None) == _SENT
        except NeedsFile:
            return run() == _SENT

    # Trying

    def _attempt(
        self, once: Callable[[Job, object], bytes | None], run: Job, message: object
    ) -> bytes | None:
        """Try a request by `once`. If its time is up only because the machine is busy, try it again a few times."""
        for _ in range(_ATTEMPTS):
            try:
                return once(run, message)
            except TimeUp:
                if self._is_long(message):
                    raise
        raise TimeUp

    def _try(self, run: Job, message: object) -> bytes | None:
        """Return the answer, or raise `TimeUp`. `message` is the request, None for work of the node itself."""
        if self._node.before is not None:
            self._node.before()  # outside the time limit: it may import an edited package
        if self._long and self._is_long(message):
            raise TimeUp
        seconds = _SHORT_TRIAL_SECONDS if self._workers else _TRIAL_SECONDS
        started = thread_time()
        collects = gc.isenabled()
        gc.disable()  # or else a full collection counts as time of this request
        try:
            return within(seconds, run)
        except TimeUp:
            if thread_time() - started > seconds / 2:  # else others had the processor
                self._remember(message)
            raise
        finally:
            if collects:
                gc.enable()

    def _is_long(self, message: object) -> bool:
        return self._long.get(_kind(message), 0) > monotonic()

    def _remember(self, message: object) -> None:
        """Note that requests like this one take long."""
        kind = _kind(message)
        self._long.pop(kind, None)
        self._long[kind] = monotonic() + _MEMORY
        if len(self._long) > _REMEMBERED:
            del self._long[next(iter(self._long))]

    async def _query(self, answer: Callable[[Node], bytes | None], params: object) -> bytes | None:
        """Answer an SQL query: fill its tables in slices, then try it here. If it takes long, a worker answers it, or for a
        chain in a file another thread, as a worker cannot read the file.
        """
        while isinstance(params, list) and params and not sql.fill(self._node, params[0]):
            await asyncio.sleep(0)
        self._node.is_hasty = True
        try:
            return answer(self._node)
        except TimeUp:
            pass
        finally:
            self._node.is_hasty = False
        store = self._node.chain.driver.observer
        if isinstance(store, ChainStore):
            return await asyncio.to_thread(_from_file, store.location, answer)
        return (
            await self._in_worker(partial(_whole, self._node, partial(answer, self._node))) or None
        )

    async def _look(self, run: Job, message: object) -> bytes | None:
        try:
            return self._attempt(self._try, run, message)
        except TimeUp:
            return await self._in_worker(partial(_whole, self._node, run)) or None

    async def _send(self, run: Job, message: object) -> bytes | None:
        try:
            return self._attempt(self._try_to_send, run, message)
        except TimeUp:
            return await self._send_from_worker(run)

    def _try_to_send(self, run: Job, message: object) -> bytes | None:
        """Return the answer, or raise `TimeUp`, with everything as it was."""
        chain = self._node.chain
        before, loaded, mark = chain.snapshot(), deepcopy(chain.machine.loaded), self._mark()
        queue = self._node.queue
        try:
            return self._try(run, message)
        except TimeUp:
            chain.machine.loaded = loaded
            if self._mark() != mark:  # it was done just as the time was up
                chain.revert(before)
                self._node.queue = queue
            raise

    # Workers

    async def _in_worker(self, work: Callable[[], bytes]) -> bytes:
        await self._make_room()
        if self._is_over:
            raise refused(ENDING)
        worker = Worker(self._fork, work, self._node.limits)
        self._workers[worker] = monotonic()
        try:
            return await worker.result()
        finally:
            self._workers.pop(worker, None)

    def _fork(self) -> int:
        """Fork while no other thread is in the chain or runs contracts, because in the copy that thread would never finish."""
        chain = self._node.chain
        chain.settle()
        with chain.lock:
            return in_turn(os.fork)

    async def _make_room(self) -> None:
        """Wait for a free worker slot. The worker that has run longest is ended, once it has had its time."""
        while len(self._workers) >= self._node.limits.workers:
            oldest, started = next(iter(self._workers.items()))
            seconds_left = started + _TURN - monotonic()
            if seconds_left > 0:
                await asyncio.sleep(seconds_left)
            elif self._workers.pop(oldest, None):
                oldest.end(
                    f"it was stopped after {monotonic() - started:.0f} s, because "
                    f"{self._node.limits.workers} other long requests came since; it was undone"
                )

    async def _send_from_worker(self, run: Job) -> bytes | None:
        for _ in range(_ROUNDS):
            started = monotonic()
            is_done, raw = await self._round(run, self._is_free.wait)
            if is_done:
                return raw
        seconds = monotonic() - started
        if seconds > _WAIT:
            raise refused(
                f"other transactions came first each time it ran, for {seconds:.0f} s, so it was "
                "undone: send it when the node is less busy"
            )
        async with self._line, self._chain_alone():
            is_done, raw = await self._round(run)
        if not is_done:
            raise refused("the chain was changed while it ran, so it was undone: send it again")
        return raw

    @asynccontextmanager
    async def _chain_alone(self) -> AsyncIterator[None]:
        self._is_free.clear()
        try:
            yield
        finally:
            self._is_free.set()

    async def _round(
        self, run: Job, turn: Callable[[], Awaitable[object]] | None = None
    ) -> tuple[bool, bytes | None]:
        """Run a transaction in a worker, then wait for its turn. Return whether it was taken over, and the answer."""
        mark = self._mark()
        pickled = await self._in_worker(partial(_growth, self._node, run))
        if turn is not None:
            await turn()
        raw, *growth = pickle.loads(pickled)  # safe: a copy of this process wrote it
        return in_one_step(self._node.chain, self._take_over, mark, *growth), raw

    def _take_over(
        self, mark: object, kept: tuple[int, ...], growth: Growth, open_block: Any, mining: Mining,
        loaded: Any, queue: Queue,
    ) -> bool:  # fmt: skip
        """Add a worker's growth to the chain, unless the chain has changed since the worker started."""
        chain = self._node.chain
        if mark != self._mark():
            return False
        follow(chain.ledger, chain.keys, kept, growth, open_block)
        chain.mining = mining
        chain.machine.loaded, self._node.queue = loaded, queue
        return True

    def _mark(self) -> object:
        """Return a value that differs whenever the chain has changed."""
        chain = self._node.chain
        chain.settle()
        open_block = chain.ledger.open
        return (
            self._node.mark,
            chain.ledger.lengths,
            chain.mining,
            open_block and open_block.row,
            self._node.queue,
        )


def _kind(message: Any) -> object:
    """Return a key for requests that take equally long: method, target and entry. None has its own."""
    if message is None:
        return None
    params = message.get("params")
    first = params[0] if isinstance(params, list) and params else None
    if not isinstance(first, dict):
        return message["method"], str(first)[:_SHOWN]
    entry = first.get("entry") or first.get("input") or first.get("data")
    return message["method"], str(first.get("to"))[:_SHOWN], str(entry)[:_SELECTOR]


def _from_file(path: Path, answer: Callable[[Node], bytes | None]) -> bytes | None:
    """In another thread: return the answer from the chain's file, as another process would read it."""
    with Chain.watch(path) as watched:
        return answer(watched.node)


def _whole(node: Node, run: Job) -> bytes:
    """In a worker: return the answer, empty if there is none."""
    return _without_file(node, run) or b""


def _growth(node: Node, run: Job) -> bytes:
    """In a worker: return the answer and the growth of the chain."""
    chain, ledger = node.chain, node.chain.ledger
    had = lengths_of(ledger, chain.keys)
    lengths = [had[:3]]  # also after what the request undid

    def keep(blocks: int, receipts: int) -> None:
        lengths.append((blocks, len(ledger.timeline), receipts))

    ledger.on_truncated.append(keep)
    raw = _without_file(node, run)
    kept = tuple(map(min, zip(*lengths, strict=True)))
    growth = growth_since(had.after(kept), ledger, chain.keys)
    mining = chain.mining._replace(clock=chain.now)
    open_block = ledger.open and ledger.open.row
    return pickle.dumps((raw, kept, growth, open_block, mining, chain.machine.loaded, node.queue))


def _without_file(node: Node, run: Job) -> bytes | None:
    """In a worker: run without the file, so that nothing is written. Raise `NeedsFile` if unread rows are needed."""
    driver = node.chain.driver
    store, driver.observer = driver.observer, None
    raw = run()
    if isinstance(store, ChainStore) and store.is_missed:
        raise NeedsFile
    return raw
