"""A chain as a JSON-RPC node: takes a request by its name, looks it up in the one table of methods, answers.

A request is one step of the chain: who is answered with an error knows that nothing was done.

What belongs to the conversation and not to the chain is kept here: filters and the snapshots that were taken by number.
`chain.node` is the one node of a chain; web3.py in process and the server both talk to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from itertools import count
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from chain.concurrency.atomic_steps import in_one_step
from chain.errors import InvalidTransaction
from chain.ledger.file.store import NotWritten
from chain.rpc.errors import BROKEN, NO_MEMORY, NO_METHOD, NO_REQUEST, RpcError, bad_params, refused
from chain.rpc.eth.filters import Filter
from chain.rpc.limits import NO_LIMITS, Limits
from chain.rpc.methods import METHODS

if TYPE_CHECKING:
    from chain.rpc.control.txpool import OpenBlockPoint
    from chain.simulator.chain import Chain
    from chain.simulator.reload_package import Package

VERSION: Final = "2.0"
ConnectionMethods = Mapping[str, Callable[..., Any]]  # methods that only one connection has
_NONE: Final[ConnectionMethods] = MappingProxyType({})


class Node:
    """Answers JSON-RPC requests about one chain."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.limits: Limits = NO_LIMITS
        self.package: Package | None = None  # whose contracts it offers
        self.before: Callable[[], object] | None = None  # done before each request
        self.interval = 0.0  # seconds after which a server mines a block by itself; 0 for never
        self.impersonated: set[bytes] = set()  # accounts that send without a key
        self.impersonates_all = False
        self.filters: dict[int, Filter] = {}  # the one asked last at the end
        self.feeds: set[Filter] = set()  # filters that a connection listens to
        self.snapshots: dict[int, OpenBlockPoint] = {}
        self.numbers = count(1)  # of filters and snapshots
        chain.ledger.before_cut.append(self._before_cut)
        chain.ledger.on_truncated.append(self._cut)

    def request(
        self, method: str, params: Sequence[Any] = (), own: ConnectionMethods = _NONE
    ) -> Any:
        """The result of one method, or `RpcError`."""
        run = own.get(method) or METHODS.get(method)
        if run is None:
            raise RpcError(NO_METHOD, f"there is no method {method} here")
        if self.before is not None:
            self.before()
        kept = self.interval, self.snapshots
        try:
            return in_one_step(self.chain, run, self, *params)
        except BaseException as no:
            self.interval, self.snapshots = kept
            if isinstance(no, InvalidTransaction | NotWritten):
                raise refused(str(no)) from no
            if isinstance(no, TypeError):
                _check_count(run, method, params)
            raise

    def handle(self, message: Any) -> Any:
        """The JSON-RPC answer to a message: to a list of requests a list; None where nothing is to be answered."""
        if isinstance(message, list) and message:
            return [answer for answer in map(self.handle_one, message) if answer is not None] or None  # fmt: skip
        return self.handle_one(message)

    def handle_one(self, message: Any, own: ConnectionMethods = _NONE) -> dict[str, Any] | None:
        """The answer to one request; None to a notification."""
        number = message.get("id") if isinstance(message, dict) else None
        if isinstance(number, list | dict):
            number = None
        try:
            method, params = _parts(message)
        except RpcError as no:
            return {"jsonrpc": VERSION, "id": number, "error": no.json()}
        answer = self._answer(method, params, own)
        return {"jsonrpc": VERSION, "id": number, **answer} if "id" in message else None

    def _answer(self, method: str, params: Sequence[Any], own: ConnectionMethods) -> dict[str, Any]:
        try:
            return {"result": self.request(method, params, own)}
        except RpcError as no:
            return {"error": no.json()}
        except MemoryError:
            return {"error": refused(f"{method}: {NO_MEMORY}").json()}
        except Exception as bug:  # what is wrong here must not end the conversation
            return {"error": RpcError(BROKEN, f"{method}: {type(bug).__name__}: {bug}").json()}

    def _before_cut(self, blocks: int, receipts: int) -> None:
        for feed in self.feeds:
            feed.before_cut(blocks, receipts)

    def _cut(self, blocks: int, receipts: int) -> None:
        """The chain went back; nothing of what was undone counts as seen, nor can one go there."""
        for each in (*self.filters.values(), *self.feeds):
            each.on_truncate(blocks, receipts)
        self.snapshots = {n: taken for n, taken in self.snapshots.items() if taken.blocks <= blocks}


def _parts(message: Any) -> tuple[str, Sequence[Any]]:
    if isinstance(message, dict) and isinstance(message.get("method"), str):
        params = message.get("params") or []
        if isinstance(params, list | tuple):
            return message["method"], params
    raise RpcError(
        NO_REQUEST,
        'a request looks like {"jsonrpc": "2.0", "id": 1, "method": "eth_…", "params": […]}',
    )


def _check_count(run: Callable[..., Any], method: str, params: Sequence[Any]) -> None:
    """Tell a wrong number of params from a mistake of ours."""
    try:
        signature(run).bind(None, *params)
    except TypeError as wrong:
        raise bad_params(f"{method}: {wrong}") from None
