"""A chain as a JSON-RPC node: it looks up a request in the table of methods, runs it, and returns the answer.

A request is one step of the chain: if the answer is an error, nothing was changed.

It keeps the state of the conversation, which is not part of the chain: filters, snapshots by number, and transactions that
wait for those before them. `chain.node` is the only node of a chain; web3.py in process and the server both use it.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from inspect import signature
from itertools import count, islice
from secrets import token_hex
from types import MappingProxyType
from typing import Any, Final, TypeVar

from chain.errors import InvalidTransaction, LimitExceeded
from chain.foundation.atomic_steps import in_one_step
from chain.ledger.file.store import NotWritten
from chain.rpc.call_texts import CallTexts
from chain.rpc.errors import BROKEN, NO_MEMORY, NO_METHOD, NO_REQUEST, RpcError, bad_params, refused
from chain.rpc.filter_types import Filter
from chain.rpc.limits import NO_LIMITS, Limits
from chain.rpc.log_texts import LogTexts
from chain.rpc.open_block import OpenBlockPoint
from chain.rpc.queue import Queue
from chain.rpc.receipt_texts import ReceiptTexts
from chain.simulator.chain import Chain
from chain.simulator.reload_package import Package

T = TypeVar("T")
VERSION: Final = "2.0"
ConnectionMethods = Mapping[str, Callable[..., object]]  # the methods of one connection
_NONE: Final[ConnectionMethods] = MappingProxyType({})
_CUTS: Final = 1000  # of which the node remembers how far they went
_ENDLESS: Final = 1 << 62
_LISTS: Final = (list, tuple)
_NO_IDS: Final = (list, dict)


class JsonText(str):
    """A result that is JSON already, of ASCII. A server writes it into its answer as it is."""

    __slots__ = ()


class Node:
    """Answers JSON-RPC requests about one chain."""

    def __init__(self, chain: Chain, methods: Mapping[str, Callable[..., object]]) -> None:
        self.chain = chain
        self.methods = methods  # by name; each takes the node and the parameters
        self.limits: Limits = NO_LIMITS
        # The client version that it reports; None for its own.
        self.client_version: str | None = None
        self.package: Package | None = None  # the package whose contracts the node offers
        self.before: Callable[[], object] | None = None  # called before each request
        self.interval = 0.0  # seconds between blocks that a server mines; 0 for never
        self.impersonated: set[bytes] = set()  # accounts that send without a key
        self.impersonates_all = False
        self.filters: dict[int, Filter] = {}  # the most recently used last
        self.log_texts, self.receipt_texts = LogTexts(chain.ledger), ReceiptTexts(chain.ledger)
        self.call_texts = CallTexts(chain.ledger)
        self.feeds: set[Filter] = set()  # the filters behind subscriptions
        self.snapshots: dict[int, OpenBlockPoint] = {}
        self.queue = Queue()  # transactions that are ahead of their account's nonce
        # True if each request also sends the queued transactions that are now due; a server sends them itself.
        self.sends_ready = True
        self.is_hasty = False  # True while others wait: what takes long raises `TimeUp`
        self.numbers = count(1)  # ids of filters, snapshots and subscriptions
        self._token = token_hex(8)
        self._went_back = 0  # so many times
        self._kept: deque[tuple[int, int]] = deque(
            maxlen=_CUTS
        )  # blocks and receipts that remained
        chain.ledger.before_cut.append(self._before_truncate)
        chain.ledger.on_truncated.append(self._on_truncate)

    @property
    def mark(self) -> str:
        """The identity of the chain, and how often it went back: as long as this is the same, the chain has only grown."""
        return f"{self._token}.{self._went_back}"

    def kept_since(self, mark: str) -> tuple[int, int]:
        """Return how many blocks and receipts were never undone since this chain had a mark."""
        number = mark.partition(".")[2]
        cuts = self._went_back - (int(number) if number.isdecimal() else 0)
        if not 0 <= cuts <= len(self._kept):
            return 1, 0
        blocks, receipts = zip(*islice(reversed(self._kept), cuts), (_ENDLESS,) * 2, strict=True)
        return min(blocks), min(receipts)

    def request(
        self, method: str, params: Sequence[object] = (), own: ConnectionMethods = _NONE
    ) -> Any:
        """Return the result of one method, or raise `RpcError`. `own` has the methods of the connection."""
        run = own.get(method) or self.methods.get(method)
        if run is None:
            raise RpcError(NO_METHOD, f"the method {method} does not exist here")
        if self.before is not None:
            self.before()
        try:
            result = self._in_one_step(run, self, *params)
        except (InvalidTransaction, NotWritten) as error:
            raise refused(str(error)) from error
        except TypeError:
            _check_count(run, method, params)
            raise
        while self.sends_ready and self.queue and self.send_ready():
            pass
        return result

    def send_ready(self) -> bool:
        """Send one of the queued transactions whose turn it is. Return False if there is none that can be sent now."""
        return self._in_one_step(self._send_ready)

    def _send_ready(self) -> bool:
        state = self.chain.state
        self.queue = self.queue.without(lambda tx: tx.nonce < state.account(tx.sender)[0])
        for tx in self.queue.ready(state):
            # If it is refused it keeps waiting, for funds or for a lower base fee.
            with suppress(InvalidTransaction):
                self.chain.send_transaction(tx)
                self.queue = self.queue.without(partial(operator.is_, tx))
                return True
        return False

    def _in_one_step(self, act: Callable[..., T], *args: object) -> T:
        """Do something completely or not at all, including changes to the node's own data."""
        previous = self.interval, self.snapshots, self.queue
        try:
            return in_one_step(self.chain, act, *args)
        except BaseException:
            self.interval, self.snapshots, self.queue = previous
            raise

    def handle(self, message: object) -> object:
        """Return the answer to a request, or to a list of requests; None if there is nothing to answer."""
        if isinstance(message, list) and message:
            return [answer for answer in map(self.handle_one, message) if answer is not None] or None  # fmt: skip
        return self.handle_one(message)

    def handle_one(self, message: Any, own: ConnectionMethods = _NONE) -> dict[str, object] | None:
        """Return the answer to one request; None for a notification."""
        number = message.get("id") if isinstance(message, dict) else None
        if isinstance(number, _NO_IDS):
            number = None
        try:
            method, params = _parts(message)
        except RpcError as error:
            return {"jsonrpc": VERSION, "id": number, "error": error.json()}
        kind, content = self._answer(method, params, own)
        return {"jsonrpc": VERSION, "id": number, kind: content} if "id" in message else None

    def _answer(
        self, method: str, params: Sequence[object], own: ConnectionMethods
    ) -> tuple[str, object]:
        """Return the result or the error, and before it which of both it is."""
        try:
            return "result", self.request(method, params, own)
        except RpcError as error:
            return "error", error.json()
        except MemoryError:
            return "error", refused(f"{method}: {NO_MEMORY}").json()
        except LimitExceeded as ended:
            return "error", refused(str(ended)).json()
        except Exception as bug:  # a bug must not end the conversation
            return "error", RpcError(BROKEN, f"{method}: {type(bug).__name__}: {bug}").json()

    def _before_truncate(self, blocks: int, receipts: int) -> None:
        for feed in self.feeds:
            feed.before_truncate(blocks, receipts)

    def _on_truncate(self, blocks: int, receipts: int) -> None:
        """Move filters back after a truncation, and drop the snapshots that are later."""
        self._went_back += 1
        self._kept.append((blocks, receipts))
        for watcher in (*self.filters.values(), *self.feeds):
            watcher.on_truncate(blocks, receipts)
        self.snapshots = {
            number: point for number, point in self.snapshots.items() if point.blocks <= blocks
        }


def _parts(message: object) -> tuple[str, Sequence[object]]:
    if isinstance(message, dict):
        method, params = message.get("method"), message.get("params") or []
        if isinstance(method, str) and isinstance(params, _LISTS):
            return method, params
    raise RpcError(
        NO_REQUEST,
        'a request looks like {"jsonrpc": "2.0", "id": 1, "method": "eth_…", "params": […]}',
    )


def _check_count(run: Callable[..., object], method: str, params: Sequence[object]) -> None:
    """Report a wrong number of params as bad parameters; any other TypeError is a bug."""
    try:
        signature(run).bind(None, *params)
    except TypeError as error:
        raise bad_params(f"{method}: {error}") from None
