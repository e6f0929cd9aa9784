"""Runs a node until it is told to stop, with the clock of `evm_setIntervalMining` beside it."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from threading import Event, Thread, current_thread, main_thread
from typing import TYPE_CHECKING, Final

import uvicorn

from chain.rpc.limits import Limits
from chain.rpc.server.access import AccessPolicy
from chain.rpc.server.app import App
from chain.rpc.server.block_timer import Clock
from chain.rpc.server.slow_clients import HttpProtocol, WebSocketProtocol

if TYPE_CHECKING:
    from chain.rpc.node import Node
    from chain.simulator.chain import Chain

LOOPBACK: Final = "127.0.0.1"
_IDLE: Final = 600  # seconds that a connection may be silent; test runs keep theirs
_WISHES: Final = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True)
class Settings:
    """Where a node listens, to whom, and how much it takes."""

    host: str = LOOPBACK
    port: int = 8545  # 0 for any that is free
    guests: AccessPolicy = field(default_factory=AccessPolicy)
    limits: Limits = field(default_factory=Limits)


class Server:
    """A node on a port. The port is taken when this is made."""

    def __init__(self, chain: Chain, settings: Settings) -> None:
        self._node: Node = chain.node
        self._node.limits = settings.limits
        self._app = App(self._node, settings.guests, self._after)
        self._clock = Clock(self._node, self._app)
        self._socket = _listen(settings.host, settings.port)
        config = uvicorn.Config(
            self._app, http=partial(HttpProtocol, settings.limits), ws=WebSocketProtocol,  # type: ignore[arg-type]
            lifespan="off", access_log=False, log_config=None, log_level="error",
            ws_max_size=settings.limits.body, ws_per_message_deflate=False,
            proxy_headers=False, server_header=False, date_header=False,
            timeout_keep_alive=_IDLE, timeout_graceful_shutdown=1,
        )  # fmt: skip
        self._uvicorn = _Uvicorn(config, self._app.runner.close)

    @property
    def address(self) -> tuple[str, int]:
        host, port, *_ = self._socket.getsockname()
        return host, port

    @property
    def url(self) -> str:
        host, port = self.address
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    def run(self, told: Callable[[], None] = lambda: None) -> None:
        """Serve until SIGINT, SIGTERM or `stop`; `told` is called when all is ready."""
        self._uvicorn.on_ready = told
        loop = self._uvicorn.config.get_loop_factory()
        with asyncio.Runner(loop_factory=loop) as runner:
            runner.run(self._serve())

    def stop(self) -> None:
        self._uvicorn.should_exit = True

    @contextmanager
    def in_thread(self) -> Iterator[str]:
        """Serve in another thread, for as long as the scope lasts; gives the URL. The chain is the server's meanwhile."""
        thread = Thread(target=self.run, daemon=True)
        thread.start()
        self._uvicorn.ready.wait()
        try:
            yield self.url
        finally:
            self.stop()
            thread.join()

    async def _serve(self) -> None:
        self._clock.update()
        try:
            await self._uvicorn.serve([self._socket])
        finally:
            self._clock.stop()

    def _after(self) -> None:
        """After each request: it may have changed the chain, or the interval."""
        self._app.publish()
        self._clock.update()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as no:
        raise OSError(f"cannot listen on {host}, port {port}: {no.strerror}; choose another port") from no  # fmt: skip


class _Uvicorn(uvicorn.Server):
    """Says when it takes connections, and takes a signal as the wish to end, not as a mishap."""

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
        before = {wish: signal.signal(wish, self.handle_exit) for wish in _WISHES}
        try:
            yield
        finally:
            for wish, handler in before.items():
                signal.signal(wish, handler)
