"""Answers requests one after the other, and lets none of them hold up the others.

What runs contracts is tried for a moment. If that is not enough it is undone and begun anew in a worker, a copy of the node,
while the node goes on. A look ends there. A transaction comes back as what the chain grew by, and is taken over as a chain
takes over what it reads from a node; had the chain moved on meanwhile, it runs again. So the order of transactions is that in
which they are done.
"""

from __future__ import annotations

import asyncio
import os
import pickle
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from copy import deepcopy
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from chain.concurrency.atomic_steps import in_one_step
from chain.concurrency.turn import in_turn
from chain.crypto.cbor import (
    decode,
    encode,
)
from chain.ledger.blocks import Mining
from chain.ledger.file.replication import (
    lengths_of,
    take_page,
)
from chain.metering.watchdog import (
    TimeUp,
    within,
)
from chain.rpc.boardchain.ledger_feed import (
    cuts_of,
    page_since,
)
from chain.rpc.errors import RpcError, refused
from chain.rpc.json_messages import (
    answer_one,
    error_bytes,
)
from chain.rpc.methods import LOOKS, METHODS, RERUNS, SENDS
from chain.rpc.server.worker import CAN_FORK, ENDING, NeedsFile, Worker

if TYPE_CHECKING:
    from chain.rpc.node import ConnectionMethods, Node

_MOMENT: Final = 0.04  # seconds of computing that a request is tried for
_SHORT_MOMENT: Final = 0.02  # the same while workers are busy: then many such requests may come
_REMEMBERED: Final = 1_000  # that took longer than that: they are not tried again
_MEMORY: Final = 10.0  # seconds for which each is remembered
_TURN: Final = 1.0  # seconds that a worker has, where others wait for its place
_SELECTOR: Final = 10  # characters of calldata that say which entry
_SHOWN: Final = 100
_ROUNDS: Final = 2  # that a transaction runs beside others, before they wait for it
_WAIT: Final = 3.0  # seconds that others may have to wait for one


Job = Callable[[], bytes | None]


class Runner:
    """Answers the requests to one node."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._workers: dict[Worker, float] = {}  # with when they began
        self._long: dict[Any, float] = {}  # what took long, with until when it is not tried
        self._line = asyncio.Lock()  # of the transactions that want the chain for themselves
        self._is_free = asyncio.Event()  # no such transaction has the chain for itself
        self._is_free.set()
        self._is_over = False

    @property
    def is_held(self) -> bool:
        """Whether a transaction has the chain for itself, so that it must not change meanwhile."""
        return not self._is_free.is_set()

    def close(self) -> None:
        """End all workers. What they did remains undone."""
        self._is_over = True
        for worker in self._workers:
            worker.end(ENDING)

    async def answer(self, message: Any, own: ConnectionMethods, room: int) -> bytes | None:
        """The answer to one request, as bytes; None to a notification."""
        name = message.get("method") if isinstance(message, dict) else None
        method = METHODS.get(name) if CAN_FORK and isinstance(name, str) else None
        run = partial(answer_one, self._node, message, own, room)
        try:
            if method in LOOKS:
                return await self._look(run, _kind(message))
            if method in SENDS:
                await self._is_free.wait()
                return await self._send(run, _kind(message))
            if method in RERUNS and self._node.chain.ledger.open is not None:
                return await self._send_from_worker(run)
        except RpcError as no:
            return error_bytes(no, message["id"]) if message.get("id") is not None else None
        except NeedsFile:
            pass  # then the others have to wait
        return run()

    # Trying

    def _try(self, run: Job, kind: Any) -> bytes | None:
        """The answer, or `TimeUp`."""
        if self._node.before is not None:
            self._node.before()  # it may import what was edited, and that takes the time it takes
        if self._long.get(kind, 0) > monotonic():
            raise TimeUp
        try:
            return within(_SHORT_MOMENT if self._workers else _MOMENT, run)
        except TimeUp:
            self._long.pop(kind, None)
            self._long[kind] = monotonic() + _MEMORY
            if len(self._long) > _REMEMBERED:
                del self._long[next(iter(self._long))]
            raise

    async def _look(self, run: Job, kind: Any) -> bytes | None:
        try:
            return self._try(run, kind)
        except TimeUp:
            return await self._in_worker(partial(_whole, self._node, run)) or None

    async def _send(self, run: Job, kind: Any) -> bytes | None:
        chain = self._node.chain
        before, loaded, mark = chain.snapshot(), deepcopy(chain.machine.loaded), self._mark()
        try:
            return self._try(run, kind)
        except TimeUp:
            chain.machine.loaded = loaded
            if self._mark() != mark:  # it was just done
                chain.revert(before)
        return await self._send_from_worker(run)

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
        """Copy the process while no other thread is in the chain, or runs contracts: in the copy it would never end that."""
        chain = self._node.chain
        chain.settle()
        with chain.border:
            return in_turn(os.fork)

    async def _make_room(self) -> None:
        """Wait for a place. The worker that has been busy for longest gives its own, once it has had its turn."""
        while len(self._workers) >= self._node.limits.workers:
            oldest, began = next(iter(self._workers.items()))
            left = began + _TURN - monotonic()
            if left > 0:
                await asyncio.sleep(left)
            elif self._workers.pop(oldest, None):
                oldest.end(
                    f"it was stopped after {monotonic() - began:.0f} s, as {self._node.limits.workers} others that take"
                    " long have come since; nothing of it remains"
                )

    async def _send_from_worker(self, run: Job) -> bytes | None:
        for _ in range(_ROUNDS):
            began = monotonic()
            is_done, raw = await self._round(run, self._is_free.wait)
            if is_done:
                return raw
        seconds = monotonic() - began
        if seconds > _WAIT:
            raise refused(
                f"other transactions came first each time it ran, for {seconds:.0f} s; nothing of it remains:"
                " send it when the node has less to do"
            )
        async with self._line, self._chain_alone():
            is_done, raw = await self._round(run)
        if not is_done:
            raise refused(
                "the chain was changed while it ran; nothing of it remains: send it again"
            )
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
        """Run a transaction in a worker, and then wait for its turn. Whether it could be taken over, and the answer."""
        mark = self._mark()
        done = await self._in_worker(partial(_growth, self._node, run))
        if turn is not None:
            await turn()
        raw, *grown = pickle.loads(done)  # of a copy of this process
        return in_one_step(self._node.chain, self._take_over, mark, *grown), raw

    def _take_over(self, mark: Any, pages: list[bytes], loaded: Any) -> bool:
        """Let the chain grow by what it grew by in a worker, if it still is as the worker found it."""
        chain = self._node.chain
        if mark != self._mark():
            return False
        for page in pages:
            _, kept, _, _, (mining, held), rows = decode(page)
            take_page(chain.ledger, chain.keys, kept, rows, held)
            chain.mining = Mining._make(mining)
        chain.machine.loaded = loaded
        return True

    def _mark(self) -> Any:
        """What tells whether the chain has changed."""
        chain = self._node.chain
        chain.settle()
        held = chain.ledger.open
        lengths = lengths_of(chain.ledger, chain.keys)
        return len(cuts_of(self._node)), lengths[:3], chain.mining, held and held.as_tuple


def _kind(message: Any) -> Any:
    """What requests have in common that take as long: whom they reach, and by which entry."""
    params = message.get("params")
    first = params[0] if isinstance(params, list) and params else None
    if not isinstance(first, dict):
        return message["method"], str(first)[:_SHOWN]
    entry = first.get("entry") or first.get("input") or first.get("data")
    return message["method"], str(first.get("to"))[:_SHOWN], str(entry)[:_SELECTOR]


def _whole(node: Node, run: Job) -> bytes:
    """In a worker: the answer; empty where there is none."""
    return _without_file(node, run) or b""


def _growth(node: Node, run: Job) -> bytes:
    """In a worker: the answer, and what the chain came to."""
    chain = node.chain
    since = [len(cuts_of(node)), *lengths_of(chain.ledger, chain.keys)]
    raw, pages, more = _without_file(node, run), list[bytes](), 1
    while more:
        page = page_since(node, since)
        since, more = [page[0], *page[2]], page[3]
        pages.append(encode(page))
    return pickle.dumps((raw, pages, chain.machine.loaded))


def _without_file(node: Node, run: Job) -> bytes | None:
    """In a worker: nothing is written, and what was not read before cannot be read."""
    store, node.chain._store = node.chain._store, None
    raw = run()
    if store is not None and store.is_missed:
        raise NeedsFile
    return raw
