"""Answers requests one after the other, and lets none of them hold up the others.

What runs contracts is tried for a moment. If that is not enough it is undone and begun anew in a worker, a copy of the node,
while the node goes on. A look ends there. A transaction comes back as what the chain grew by, and is taken over as a chain
takes over what it reads from a node; had the chain moved on meanwhile, it runs again. So the order of transactions is that in
which they are done.
"""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from copy import deepcopy
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from chain.ledger.blocks import Mining
from chain.ledger.cbor import decode, encode
from chain.ledger.growth import lengths_of, take_page
from chain.rpc.errors import RpcError, refused
from chain.rpc.following import cuts_of, page_since
from chain.rpc.methods import LOOKS, METHODS, RERUNS, SENDS
from chain.rpc.server.worker import CAN_FORK, Worker
from chain.rpc.wire import answer_one, refusal
from chain.watchdogs import TimeUp, within

if TYPE_CHECKING:
    from chain.rpc.node import Node, Own

_MOMENT: Final = 0.1  # seconds that a request is tried for
_SHORT_MOMENT: Final = 0.02  # the same while workers are busy: then many such requests may come
_ROUNDS: Final = 2  # that a transaction runs beside others, before they wait for it
_WAIT: Final = 2.0  # seconds that others may have to wait for one


class Runner:
    """Answers the requests to one node."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._workers: set[Worker] = set()
        self._places = asyncio.Semaphore(node.limits.workers)
        self._line = asyncio.Lock()  # of the transactions that take long
        self._is_free = asyncio.Event()  # no such transaction has the chain for itself
        self._is_free.set()
        self._is_over = False

    @property
    def is_held(self) -> bool:
        """Whether the chain must not change for a moment."""
        return not self._is_free.is_set()

    def close(self) -> None:
        """End all workers. What they did remains undone."""
        self._is_over = True
        for worker in self._workers:
            worker.end()

    async def answer(self, message: Any, own: Own, room: int) -> bytes | None:
        """The answer to one request, as bytes; None to a notification."""
        name = message.get("method") if isinstance(message, dict) else None
        method = METHODS.get(name) if CAN_FORK and isinstance(name, str) else None
        run = partial(answer_one, self._node, message, own, room)
        try:
            if method in LOOKS:
                return await self._look(run)
            if method in SENDS:
                await self._is_free.wait()
                return await self._send(run)
            if method in RERUNS and self._node.chain.ledger.open is not None:
                return await self._send_from_worker(run)
        except RpcError as no:
            return refusal(no, message["id"]) if message.get("id") is not None else None
        return run()

    # Trying

    def _try(self, run: partial[bytes | None]) -> bytes | None:
        """The answer, or `TimeUp`."""
        if self._node.before is not None:
            self._node.before()  # it may import what was edited, and that takes the time it takes
        return within(_SHORT_MOMENT if self._workers else _MOMENT, run)

    async def _look(self, run: partial[bytes | None]) -> bytes | None:
        try:
            return self._try(run)
        except TimeUp:
            return await self._in_worker(partial(_whole, run)) or None

    async def _send(self, run: partial[bytes | None]) -> bytes | None:
        chain = self._node.chain
        before, loaded, mark = chain.snapshot(), deepcopy(chain.machine.loaded), self._mark()
        try:
            return self._try(run)
        except TimeUp:
            chain.machine.loaded = loaded
            if self._mark() != mark:  # it was just done
                chain.revert(before)
        return await self._send_from_worker(run)

    # Workers

    async def _in_worker(self, work: partial[bytes]) -> bytes:
        async with self._places:
            if self._is_over:
                raise refused("the node ends")
            worker = Worker(work, self._node.limits)
            self._workers.add(worker)
            try:
                return await worker.result()
            finally:
                self._workers.discard(worker)

    async def _send_from_worker(self, run: partial[bytes | None]) -> bytes | None:
        async with self._line:
            for _ in range(_ROUNDS):
                began = monotonic()
                is_done, raw = await self._round(run)
                if is_done:
                    return raw
            seconds = monotonic() - began
            if seconds > _WAIT:
                raise refused(
                    f"other transactions came first each time it ran, for {seconds:.0f} s; nothing of it remains:"
                    " send it when the node has less to do"
                )
            async with self._chain_alone():
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

    async def _round(self, run: partial[bytes | None]) -> tuple[bool, bytes | None]:
        """Run a transaction in a worker. Whether it could be taken over, and the answer."""
        mark = self._mark()
        done = await self._in_worker(partial(_growth, self._node, run))
        raw, pages, loaded = pickle.loads(done)  # of a copy of this process
        if mark != self._mark():
            return False, None
        chain = self._node.chain
        for page in pages:
            _, kept, _, _, (mining, held), rows = decode(page)
            take_page(chain.ledger, chain.keys, kept, rows, held)
        chain.mining, chain.machine.loaded = Mining._make(mining), loaded
        chain._save()
        return True, raw

    def _mark(self) -> Any:
        """What tells whether the chain has changed."""
        chain = self._node.chain
        held = chain.ledger.open
        lengths = lengths_of(chain.ledger, chain.keys)
        return len(cuts_of(self._node)), lengths[:3], chain.mining, held and held.row


def _whole(run: partial[bytes | None]) -> bytes:
    """The answer in a worker; empty where there is none."""
    return run() or b""


def _growth(node: Node, run: partial[bytes | None]) -> bytes:
    """In a worker: the answer, and what the chain came to."""
    chain = node.chain
    chain._store = None  # the file is that of the node
    since = [len(cuts_of(node)), *lengths_of(chain.ledger, chain.keys)]
    raw, pages, more = run(), list[bytes](), 1
    while more:
        page = page_since(node, since)
        since, more = [page[0], *page[2]], page[3]
        pages.append(encode(page))
    return pickle.dumps((raw, pages, chain.machine.loaded))
