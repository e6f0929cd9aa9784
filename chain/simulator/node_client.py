"""JSON-RPC over one persistent HTTP connection: `HttpNodeClient(url)("eth_chainId")` returns the result or raises."""

from __future__ import annotations

import json
import select
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from itertools import count
from threading import Lock
from typing import Any, Final, Protocol
from urllib.parse import SplitResult, urlsplit

_HEADERS: Final = {"Content-Type": "application/json"}
_PATIENCE: Final = 120  # seconds; a contract may run for a while
_LONGEST: Final = 1 << 28  # bytes of an answer


class NodeError(ValueError):
    """The node answered with an error; `code` is the JSON-RPC error code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class NodeUnreachable(ConnectionError):
    """There is no node at that address, or it no longer answers."""


@contextmanager
def explaining() -> Iterator[None]:
    """Scope that takes an answer of a node apart, which may have any form."""
    try:
        yield
    except NodeError:
        raise
    except (TypeError, ValueError, LookupError, AttributeError, RecursionError) as problem:
        why = f"{type(problem).__name__}: {problem}"
        raise NodeUnreachable(f"the node does not answer as one of this version: {why}") from None


class LocalNode(Protocol):
    """A node in this process."""

    def handle(self, message: object) -> Any:
        """Return the answer to a request."""


class NodeClient(Protocol):
    """Calls a method of a node and returns its result, or raises `NodeError`."""

    def __call__(self, method: str, params: Sequence[object] = ()) -> Any: ...
    def close(self) -> None: ...


class HttpNodeClient:
    """A client of the node at a URL."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or not _has_port(parts):
            raise ValueError(
                f"{url!r} is not an address of a node: it looks like http://127.0.0.1:8545"
            )
        connection_class = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self.url = url
        self._path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
        self._connection = connection_class(parts.hostname, parts.port, timeout=_PATIENCE)
        self._numbers, self._lock = count(1), Lock()  # threads may read rows at the same time
        weakref.finalize(self, self._connection.close)

    def __call__(self, method: str, params: Sequence[object] = ()) -> Any:
        return _result(
            self._post(json.dumps(_request(next(self._numbers), method, params)).encode()), self.url
        )

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _post(self, body: bytes) -> Any:
        connection = self._connection
        with self._lock:
            self._hang_up_if_over()
            try:
                connection.request("POST", self._path, body, _HEADERS)
                raw = connection.getresponse().read(_LONGEST)
                if len(raw) == _LONGEST:
                    raise ValueError(raw[:1])
                return json.loads(raw)
            except (
                BaseException
            ) as error:  # an answer that was not read would be taken for the next one
                connection.close()
                if isinstance(error, OSError | HTTPException):
                    why = error or type(error).__name__
                    raise NodeUnreachable(f"there is no node at {self.url}: {why}") from None
                if isinstance(error, ValueError | RecursionError):
                    raise NodeUnreachable(f"the server at {self.url} is not a node") from None
                raise

    def _hang_up_if_over(self) -> None:
        """Close the connection if the node has closed it, as it does after some idle time.

        Nothing has been sent at that point, so the request can safely go over a new connection.
        """
        socket = self._connection.sock
        if socket is not None and select.select([socket], [], [], 0)[0]:
            self._connection.close()


def _has_port(parts: SplitResult) -> bool:
    """Return True if the port is valid, or left to the scheme."""
    try:
        return parts.port != 0
    except ValueError:
        return False


class InProcessNodeClient:
    """A client of a node in this process."""

    def __init__(self, node: LocalNode) -> None:
        self._node = node

    def __call__(self, method: str, params: Sequence[object] = ()) -> Any:
        return _result(self._node.handle(_request(1, method, params)), "this node")

    def close(self) -> None:
        """Do nothing: there is no connection."""


def _request(number: int, method: str, params: Sequence[object]) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": list(params)}


def _result(answer: object, who: str) -> Any:
    """Return the result in a node's answer, or raise its error; `who` names the node for error texts."""
    error = answer.get("error") if isinstance(answer, dict) else None
    if isinstance(error, dict):
        raise NodeError(error.get("code", 0), str(error.get("message", "no")))
    if not isinstance(answer, dict) or "result" not in answer:
        raise NodeUnreachable(f"the server at {who} is not a node")
    return answer["result"]
