"""Slow clients: a request that arrives too slowly is refused, and a client that does not read is disconnected.

Such a client, malicious or not, occupies a connection and some memory, and a node has little of both.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from chain.rpc.limits import Limits
from chain.rpc.server.plain_requests import PlainRequests
from chain.rpc.server.single_packet import JoinedProtocol

_TIMEOUT_RESPONSE: Final = 1.0  # seconds in which a client may still read why it is disconnected
_ANSWER: Final = (
    b"HTTP/1.1 %b\r\ncontent-type: text/plain; charset=utf-8\r\n"
    b"content-length: %d\r\nconnection: close\r\n\r\n%b\n"
)
_TOO_LARGE: Final = b"431 Request Header Fields Too Large"
_TOO_SLOW: Final = b"408 Request Timeout"


class HttpProtocol(JoinedProtocol):
    """A connection whose requests must arrive in time, with a head that is not too large.

    Most requests arrive in one piece, and these are not timed.
    """

    def __init__(self, limits: Limits, plain: PlainRequests | None, **options: Any) -> None:
        super().__init__(**options)
        self._requests = plain
        self._is_used = False  # since the keep-alive timer was started
        self.url = b""  # read before the first request arrives
        self._limits = limits
        self._awaits: str | None = "head"  # the part of a request that is arriving
        self._size = 0  # bytes of the head, if it came in pieces
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        plain = self._requests if self._is_idle else None
        if plain is not None and (answer := plain.answer(data)) is not None:
            self.joined.write_now(answer)
            self._stay()
            return
        self._parse(data)
        if plain is not None and self._awaits is None:
            version, method = self.parser.get_http_version(), self.parser.get_method()
            plain.learn(data, method, self.url, version, self.headers)

    @property
    def _is_idle(self) -> bool:
        """True between requests, while the client reads its answers."""
        if self.cycle is None:
            return self._awaits == "head" and not self._size
        return self._awaits is None and self.cycle.response_complete and not self.flow.write_paused

    def _stay(self) -> None:
        """Keep the connection open after an answer that the parser has not seen."""
        self._is_used = True
        if self.timeout_keep_alive_task is None:
            self._stop()
            self._start_keep_alive()

    def _start_keep_alive(self) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(
            self.timeout_keep_alive, self.timeout_keep_alive_handler
        )

    def timeout_keep_alive_handler(self) -> None:
        if self._is_used:
            self._is_used = False
            self._start_keep_alive()
        else:
            super().timeout_keep_alive_handler()

    def _parse(self, data: bytes) -> None:
        awaited = self._awaits
        super().data_received(data)
        if self._awaits is None:
            return
        if self._awaits == "head":
            self._size += len(data)
            self._check_head(self._size)
        if self._awaits != awaited:
            self._stop()
        if self._timer is None:
            self._watch()

    def handle_websocket_upgrade(self) -> None:
        self._awaits = None
        self._stop()
        super().handle_websocket_upgrade()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._awaits, self._size = "head", 0

    def on_headers_complete(self) -> None:
        self._awaits = "body"
        if self._check_head(sum([len(name) + len(value) for name, value in self.headers])):
            super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._awaits = None
        self._stop()
        super().on_message_complete()

    def _check_head(self, size: int) -> bool:
        """Return True if the head is small enough so far."""
        limit = self._limits.head
        if size + len(self.url) > limit:
            self._refuse(_TOO_LARGE, f"the head of a request has at most {limit} bytes")
        return size <= limit and not self.transport.is_closing()

    def _watch(self) -> None:
        part, limits = self._awaits, self._limits
        seconds = limits.head_seconds if part == "head" else limits.body_seconds
        why = f"the {part} of a request must arrive within {seconds} seconds"
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
    """A WebSocket that can be closed even if the client does not read."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.close_timeout = _TIMEOUT_RESPONSE

    async def send(self, message: Any) -> None:
        if message["type"] == "websocket.close" and not self.writable.is_set():
            self.writable.set()  # let the close frame through, behind the queue, then abort
            self.loop.call_later(_TIMEOUT_RESPONSE, self.transport.abort)
        await super().send(message)
