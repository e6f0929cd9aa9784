"""The node as an ASGI application: POST is a request, a WebSocket is a conversation, all else gets a short help text.

It implements ASGI directly: there is only one path, and a framework's routing would cost more time than the answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from types import MappingProxyType
from typing import Any, Final

from chain.rpc.errors import REFUSED, RpcError, too_much
from chain.rpc.json_messages import error_bytes, handle_bytes
from chain.rpc.node import Node
from chain.rpc.server.access import AccessPolicy
from chain.rpc.server.connection import Connection
from chain.rpc.server.request_runner import Runner

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

_JSON: Final = (b"content-type", b"application/json")
_TEXT: Final = (b"content-type", b"text/plain; charset=utf-8")
_PREFLIGHT: Final = (
    (b"access-control-allow-methods", b"POST"),
    (b"access-control-allow-headers", b"*"),
    (b"access-control-max-age", b"600"),
)
_GREETING: Final = (
    b"This is a Boardchain node. It answers JSON-RPC: by POST, or over a WebSocket.\n"
)
_NO_OWN: Final = MappingProxyType[str, Callable[..., object]]({})


class App:
    """The ASGI application of one node. `after` is called when a request may have changed something."""

    def __init__(self, node: Node, guests: AccessPolicy, after: Callable[[], None]) -> None:
        self._node, self._guests, self._after = node, guests, after
        self.runner = Runner(node)
        self.sockets: set[Connection] = set()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return
        headers = dict(scope["headers"])
        origin = headers.get(b"origin")
        refusal = self._refuse(headers.get(b"host"), origin)
        if scope["type"] == "websocket":
            await self._websocket(receive, send, refusal)
        elif refusal is not None:
            await _send(send, 403, error_bytes(RpcError(REFUSED, refusal)), [_JSON])
        else:
            await self._http(scope["method"], headers, receive, send)

    def publish(self) -> None:
        """Let every connection send the news of its subscriptions."""
        for socket in self.sockets:
            socket.publish()

    def _refuse(self, host: bytes | None, origin: bytes | None) -> str | None:
        """Return the reason to refuse this host name or page origin, or None if both are allowed."""
        if host is not None and not self._guests.knows_host(name := host.decode("latin-1")):
            return f"this node is not known as {name}: start it with --allow-host {name.partition(':')[0]}"
        if origin is not None and not self._guests.knows_origin(page := origin.decode("latin-1")):
            return f"pages from {page} may not ask this node: start it with --allow-origin {page}"
        return None

    async def _http(
        self, method: str, headers: dict[bytes, bytes], receive: Receive, send: Send
    ) -> None:
        allowed = _allow(headers.get(b"origin"))
        if method == "POST":
            await self._post(headers, allowed, receive, send)
        elif method == "OPTIONS":
            await _send(send, 204, b"", [*allowed, *_PREFLIGHT])
        elif method in ("GET", "HEAD"):
            await _send(send, 200, _GREETING, [_TEXT, *allowed])
        else:
            await _send(send, 405, _GREETING, [_TEXT, (b"allow", b"POST, GET, HEAD, OPTIONS")])

    async def _post(
        self, headers: dict[bytes, bytes], allowed: Headers, receive: Receive, send: Send
    ) -> None:
        limit = self._node.limits.body
        body = await _read(receive, headers.get(b"content-length", b""), limit)
        if body is None:
            error = error_bytes(too_much(f"the request is too large: at most {limit} bytes"))
            await _send(send, 413, error, [_JSON, (b"connection", b"close"), *allowed])
            return
        answer = await handle_bytes(self._node.limits, body, self._run)
        self._after()
        if answer is None:
            await _send(send, 204, b"", allowed)
        else:
            await _send(send, 200, answer, [_JSON, *allowed])

    async def _run(self, message: object, room: int) -> bytes | None:
        return await self.runner.answer(message, _NO_OWN, room)

    async def _websocket(self, receive: Receive, send: Send, no: str | None) -> None:
        await receive()  # the connect message
        if no is not None:
            await send({"type": "websocket.close", "code": 1008, "reason": no})
            return
        await send({"type": "websocket.accept"})
        socket = Connection(self._node, self.runner, receive, send, self._after)
        self.sockets.add(socket)
        try:
            await socket.run()
        finally:
            self.sockets.discard(socket)


def _allow(origin: bytes | None) -> Headers:
    """Return the headers that allow the page to read the answer."""
    if origin is None:
        return []
    return [(b"access-control-allow-origin", origin), (b"vary", b"origin")]


async def _read(receive: Receive, length: bytes, most: int) -> bytes | None:
    """Return the body, or None if it is longer than `most` bytes."""
    if length.isdigit() and int(length) > most:
        return None
    body: bytes = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > most:
            return None
        if not message.get("more_body", False):
            return body


async def _send(
    send: Send, status: int, body: bytes, headers: Iterable[tuple[bytes, bytes]]
) -> None:
    length = [] if status == 204 else [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *length]})
    await send({"type": "http.response.body", "body": body})
