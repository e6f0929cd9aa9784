"""A chain as a JSON-RPC node: takes a request by its name, looks it up in the one table of methods, answers.

What belongs to the conversation and not to the chain is kept here: filters and the snapshots that were taken by number.
`chain.node` is the one node of a chain; web3.py in process and the server both talk to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import signature
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from chain.errors import InvalidTransaction
from chain.rpc.errors import BROKEN, NO_METHOD, NO_REQUEST, RpcError, bad_params, refused
from chain.rpc.filters import Filter
from chain.rpc.methods import METHODS

if TYPE_CHECKING:
    from chain.simulator import Chain, Snapshot

VERSION: Final = "2.0"


class Node:
    """Answers JSON-RPC requests about one chain."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.filters: dict[int, Filter] = {}
        self.snapshots: dict[int, Snapshot] = {}
        self.numbers = count(1)  # of filters and snapshots
        chain.ledger.watchers.append(self._cut)

    def request(self, method: str, params: Sequence[Any] = ()) -> Any:
        """The result of one method, or `RpcError`."""
        run = METHODS.get(method)
        if run is None:
            raise RpcError(NO_METHOD, f"there is no method {method} here")
        try:
            return run(self, *params)
        except InvalidTransaction as no:
            raise refused(str(no)) from no
        except TypeError:
            _check_count(run, method, params)
            raise

    def respond(self, message: Any) -> Any:
        """The JSON-RPC answer to a message: to a list of requests a list; None where nothing is to be answered."""
        if isinstance(message, list) and message:
            return [answer for answer in map(self._respond, message) if answer is not None] or None
        return self._respond(message)

    def _respond(self, message: Any) -> dict[str, Any] | None:
        number = message.get("id") if isinstance(message, dict) else None
        try:
            method, params = _parts(message)
        except RpcError as no:
            return {"jsonrpc": VERSION, "id": number, "error": no.json()}
        answer = self._answer(method, params)
        return {"jsonrpc": VERSION, "id": number, **answer} if "id" in message else None

    def _answer(self, method: str, params: Sequence[Any]) -> dict[str, Any]:
        try:
            return {"result": self.request(method, params)}
        except RpcError as no:
            return {"error": no.json()}
        except Exception as bug:  # what is wrong here must not end the conversation
            return {"error": RpcError(BROKEN, f"{method}: {type(bug).__name__}: {bug}").json()}

    def _cut(self, blocks: int, receipts: int) -> None:
        """The chain went back; nothing of what was undone counts as seen, nor can one go there."""
        for each in self.filters.values():
            each.cut(blocks, receipts)
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
