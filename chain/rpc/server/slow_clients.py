"""Clients that are slow, or pretend to be: who sends a request bit by bit is told so, who does not read is let go.

Each holds a connection and some memory meanwhile, and a node has a limited number of the one and not much of the other.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from chain.rpc.limits import Limits
from chain.rpc.server.joined import JoinedProtocol

_LAST_WORDS: Final = 1.0  # seconds in which a client may still read why it is let go
_ANSWER: Final = (
    b"HTTP/1.1 %b\r\ncontent-type: text/plain; charset=utf-8\r\n"
    b"content-length: %d\r\nconnection: close\r\n\r\n%b\n"
)
_TOO_LARGE: Final = b"431 Request Header Fields Too Large"
_TOO_SLOW: Final = b"408 Request Timeout"


class HttpProtocol(JoinedProtocol):
    """A connection whose requests have to arrive in time, with a head that is not too large."""

    def __init__(self, limits: Limits, **options: Any) -> None:
        super().__init__(**options)
        self._limits = limits
        self._timer: asyncio.TimerHandle | None = None
        self._head: int | None = 0  # bytes of the head that is arriving; None when it is there

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_rest(self._limits.head_seconds, "head")

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._head is not None:
            self._count(len(data))

    def handle_websocket_upgrade(self) -> None:
        self._stop()
        super().handle_websocket_upgrade()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head = 0
        self._await_rest(self._limits.head_seconds, "head")

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        self._count(len(name) + len(value))

    def on_headers_complete(self) -> None:
        self._head = None
        if self.transport.is_closing():
            return
        super().on_headers_complete()
        self._await_rest(self._limits.body_seconds, "body")

    def on_message_complete(self) -> None:
        self._stop()
        super().on_message_complete()

    def _count(self, size: int) -> None:
        self._head = (self._head or 0) + size
        if self._head > self._limits.head:
            self._refuse(_TOO_LARGE, f"the head of a request has at most {self._limits.head} bytes")

    def _await_rest(self, seconds: float, part: str) -> None:
        self._stop()
        why = f"the {part} of a request has to arrive within {seconds} seconds"
        self._timer = self.loop.call_later(seconds, self._refuse, _TOO_SLOW, why)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _refuse(self, status: bytes, why: str) -> None:
        self._stop()
        if not self.transport.is_closing():
            self.transport.write(_ANSWER % (status, len(why) + 1, why.encode()))
            self.transport.close()


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """A WebSocket that can be closed on a client that does not read."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.close_timeout = _LAST_WORDS

    async def send(self, message: Any) -> None:
        if message["type"] == "websocket.close" and not self.writable.is_set():
            self.writable.set()  # behind what waits already, and then it is enough
            self.loop.call_later(_LAST_WORDS, self.transport.abort)
        await super().send(message)
