"""uvicorn's HTTP protocol, with the head and the body of an answer in one packet.

uvicorn writes them separately, so a client that wakes up for the head must wake up again for the body. Here everything
written in one iteration of the event loop is sent together at its end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class JoinedProtocol(HttpToolsProtocol):
    """uvicorn's protocol on a transport that joins writes."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._plain = transport
        self.joined = Joined(transport, self.loop)
        super().connection_made(self.joined)

    def handle_websocket_upgrade(self) -> None:
        self.transport = self._plain  # a frame is written whole anyway
        super().handle_websocket_upgrade()


class Joined(asyncio.Transport):
    """A transport that collects writes until the loop's next iteration."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._transport, self._loop = transport, loop
        self._parts: list[Any] = []

    def write(self, data: object) -> None:
        if not self._parts:
            self._loop.call_soon(self.flush)
        self._parts.append(data)

    def writelines(self, list_of_data: Iterable[object]) -> None:
        for data in list_of_data:
            self.write(data)

    def write_now(self, data: bytes) -> None:
        """Send what waits and these data, without waiting for the next iteration."""
        self._parts.append(data)
        self.flush()

    def flush(self) -> None:
        parts, self._parts = self._parts, []
        if parts and not self._transport.is_closing():
            self._transport.write(b"".join(parts))

    def close(self) -> None:
        self.flush()
        self._transport.close()

    def is_closing(self) -> bool:
        return self._transport.is_closing()

    def abort(self) -> None:
        self._transport.abort()

    def pause_reading(self) -> None:
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        self._transport.resume_reading()

    def get_extra_info(self, name: str, default: object = None) -> object:
        return self._transport.get_extra_info(name, default)
