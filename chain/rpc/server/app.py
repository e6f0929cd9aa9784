"""The node as an ASGI application: POST is a request, a WebSocket is a conversation, and GET is a page, if pages are mounted.

It implements ASGI directly: requests have only one path, and a framework's routing would cost more time than the answer.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, MutableMapping, Sequence
from typing import Any, Final, Protocol, TypeAlias

from chain.rpc.errors import REFUSED, RpcError, too_much
from chain.rpc.json_messages import decode, error_bytes, handle_bytes
from chain.rpc.methods import AS_TEXT
from chain.rpc.node import VERSION, Node
from chain.rpc.server.access import AccessPolicy
from chain.rpc.server.connection import Connection
from chain.rpc.server.plain_requests import MustWait
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
_FORM: Final = b"application/x-www-form-urlencoded"


class PageApp(Protocol):
    """Pages for people, in addition to the requests of programs."""

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None: ...
    def publish(self) -> None: ...
    def close(self) -> None: ...


# Answers one method, like a client's request.
Ask: TypeAlias = Callable[[str, Sequence[object]], Awaitable[Any]]
Mount: TypeAlias = Callable[[Ask], PageApp]


class App:
    """The ASGI application of one node. `after` is called when a request may have changed something.

    `mount` creates the pages that are served as well; its argument is the function by which they query the node.
    """

    def __init__(
        self,
        node: Node,
        guests: AccessPolicy,
        after: Callable[[], None],
        mount: Mount | None = None,
    ) -> None:
        self._node, self._guests, self._after = node, guests, after
        self.runner = Runner(node)
        self.sockets: set[Connection] = set()
        self._pages = None if mount is None else mount(self._ask)

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
            await self._http(scope, headers, receive, send)

    def allow(self, headers: dict[bytes, bytes]) -> Headers | None:
        """Return the headers of every answer to a request with these headers, None if it is refused."""
        origin, length = headers.get(b"origin"), int(headers[b"content-length"])
        if self._refuse(headers.get(b"host"), origin) or length > self._node.limits.body:
            return None
        return _allow(origin)

    def answer_at_once(self, body: bytes) -> bytes | None:
        """Return the answer to a request, None to a notification, or raise `MustWait`. Batches wait."""
        try:
            message = decode(body) if body.startswith(b"{") else None
        except ValueError:
            message = None
        if message is None:
            raise MustWait
        answer = self.runner.answer_at_once(message, self._node.limits.response)
        self._after()
        return answer

    def publish(self) -> None:
        """Let every connection send the news of its subscriptions, and notify open pages."""
        for socket in self.sockets:
            socket.publish()
        if self._pages is not None:
            self._pages.publish()

    def close(self) -> None:
        """End everything that would keep the server running: work in other processes, and the connections of open pages."""
        self.runner.close()
        if self._pages is not None:
            self._pages.close()

    def _refuse(self, host: bytes | None, origin: bytes | None) -> str | None:
        """Return the reason to refuse this host name or page origin, or None if both are allowed."""
        if host is not None and not self._guests.knows_host(name := host.decode("latin-1")):
            return f"this node is not known as {name}: start it with --allow-host {name.partition(':')[0]}"
        if host is not None and origin in (b"http://" + host, b"https://" + host):
            return None  # a page of this node
        if origin is not None and not self._guests.knows_origin(page := origin.decode("latin-1")):
            return f"pages from {page} may not send requests to this node: start it with --allow-origin {page}"
        return None

    async def _http(
        self, scope: Message, headers: dict[bytes, bytes], receive: Receive, send: Send
    ) -> None:
        method, allowed = scope["method"], _allow(headers.get(b"origin"))
        if self._pages is not None and (method in ("GET", "HEAD") or _is_form(scope, headers)):
            await self._pages(scope, receive, send)
        elif method == "POST":
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
        return await self.runner.answer(message, AS_TEXT, room)

    async def _ask(self, method: str, params: Sequence[object]) -> Any:
        """Return the result of a method for the pages, or raise `RpcError`."""
        message = {"jsonrpc": VERSION, "id": 1, "method": method, "params": list(params)}
        answer = json.loads(await self._run(message, self._node.limits.response) or b"{}")
        self._after()
        if "error" in answer:
            raise RpcError(answer["error"]["code"], answer["error"]["message"])
        return answer["result"]

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


def _is_form(scope: Message, headers: dict[bytes, bytes]) -> bool:
    """True if a page sent a form. Some JSON-RPC clients send the content type of a form, but not to a form's path."""
    is_form = headers.get(b"content-type", b"").startswith(_FORM)
    return is_form and scope["method"] == "POST" and scope["path"] != "/"


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
