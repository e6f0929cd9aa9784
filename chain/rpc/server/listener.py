"""Listens on a port and serves an application there, until it is stopped."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field
from functools import partial
from threading import Event, Thread, current_thread, main_thread
from typing import Final

import uvicorn

from chain.foundation.dataclass import dataclass
from chain.rpc.limits import Limits
from chain.rpc.server.access import AccessPolicy
from chain.rpc.server.plain_requests import Direct, PlainRequests
from chain.rpc.server.slow_clients import HttpProtocol, WebSocketProtocol

LOOPBACK: Final = "127.0.0.1"
_IDLE: Final = 600  # seconds a connection may be silent; test runs keep theirs open
_WISHES: Final = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True)
class Settings:
    """The address to listen on, the allowed clients, and their limits.

    >>> Settings(port=0).host
    '127.0.0.1'
    """

    host: str = LOOPBACK  # the address to listen on
    port: int = 8545  # 0 for any free port
    # The hosts and origins that are allowed.
    access: AccessPolicy = field(default_factory=AccessPolicy)
    limits: Limits = field(default_factory=Limits)  # the limits on a client's requests


class Listener:
    """An ASGI application on a port. The constructor binds the port.

    `end` is called when the server is to stop. `direct` answers the requests that need no ASGI, if there is one.
    """

    def __init__(
        self, app: object, settings: Settings, end: Callable[[], None], direct: Direct | None = None
    ) -> None:
        plain = None if direct is None else PlainRequests(direct)
        self._socket = _listen(settings.host, settings.port)
        config = uvicorn.Config(
            app, http=partial(HttpProtocol, settings.limits, plain), ws=WebSocketProtocol,  # type: ignore[arg-type]
            lifespan="off", access_log=False, log_config=None, log_level="error",
            ws_max_size=settings.limits.body, ws_per_message_deflate=False,
            proxy_headers=False, server_header=False, date_header=False,
            timeout_keep_alive=_IDLE, timeout_graceful_shutdown=1,
        )  # fmt: skip
        self._uvicorn = _Uvicorn(config, end)

    @property
    def address(self) -> tuple[str, int]:
        """The host and the port."""
        host, port, *_ = self._socket.getsockname()
        return host, port

    @property
    def url(self) -> str:
        """The address as clients write it."""
        host, port = self.address
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    def run(self, told: Callable[[], None] = lambda: None) -> None:
        """Serve until SIGINT, SIGTERM or `stop`. `told` is called when the server is ready."""
        self._uvicorn.on_ready = told
        loop = self._uvicorn.config.get_loop_factory()
        with asyncio.Runner(loop_factory=loop) as runner:
            runner.run(self._serve())

    def stop(self) -> None:
        """Make `run` return.

        >>> server = Server(Chain(), Settings(port=0))
        >>> server.run(told=server.stop)  # stops as soon as it is ready
        """
        self._uvicorn.should_exit = True

    @contextmanager
    def in_thread(self) -> Iterator[str]:
        """Serve in another thread until the scope ends, and yield the URL. Meanwhile only the server may use the chain."""
        thread = Thread(target=self.run, daemon=True)
        thread.start()
        self._uvicorn.ready.wait()
        try:
            yield self.url
        finally:
            self.stop()
            thread.join()

    async def _serve(self) -> None:
        await self._uvicorn.serve([self._socket])


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        raise OSError(f"cannot listen on {host}, port {port}: {error.strerror}; choose another port") from error  # fmt: skip


class _Uvicorn(uvicorn.Server):
    """A uvicorn server that reports when it is ready, and treats a signal as a normal request to stop."""

    def __init__(self, config: uvicorn.Config, end: Callable[[], None]) -> None:
        super().__init__(config)
        self._end = end
        self.ready = Event()
        self.on_ready: Callable[[], None] = lambda: None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()
        self.on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._end()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if current_thread() is not main_thread():
            yield
            return
        handlers = {
            signal_number: signal.signal(signal_number, self.handle_exit)
            for signal_number in _WISHES
        }
        try:
            yield
        finally:
            for signal_number, handler in handlers.items():
                signal.signal(signal_number, handler)
