"""Runs a node until it is stopped, together with the timer of `evm_setIntervalMining`."""

from __future__ import annotations

from collections.abc import Callable

from chain.rpc.node import Node
from chain.rpc.server.activity_feed import ActivityFeed
from chain.rpc.server.app import App, Mount
from chain.rpc.server.block_timer import Clock
from chain.rpc.server.collector import COLLECTOR
from chain.rpc.server.listener import Listener, Settings
from chain.simulator.chain import Chain


class Server(Listener):
    """A node on a port. The constructor binds the port.

    `tell` gets a line of text for each transaction; `mount` creates pages for people, which are served on the same port.

    >>> from urllib.request import Request, urlopen
    >>> server = Server(Chain(), Settings(port=0))
    >>> with server.in_thread() as url:
    ...     body = b'{"jsonrpc": "2.0", "id": 1, "method": "eth_chainId"}'
    ...     url == server.url, server.address[0]
    ...     urlopen(Request(url, body, {"Content-Type": "application/json"})).read()
    (True, '127.0.0.1')
    b'{"jsonrpc":"2.0","id":1,"result":"0x7a69"}'
    """

    def __init__(
        self,
        chain: Chain,
        settings: Settings,
        tell: Callable[[str], None] | None = None,
        mount: Mount | None = None,
    ) -> None:
        self._node: Node = chain.node
        self._node.limits = settings.limits
        self._app = App(self._node, settings.access, self._after, mount)
        self._clock = Clock(self._node, self._app)
        self._activity = None if tell is None else ActivityFeed(chain.ledger, tell)
        super().__init__(self._app, settings, self._app.close, self._app)

    async def _serve(self) -> None:
        self._clock.update()
        try:
            await super()._serve()
        finally:
            self._clock.stop()

    def _after(self) -> None:
        """Publish and report news, and update the timer, after a request, which may have changed the chain or the interval."""
        COLLECTOR.update()
        self._app.publish()
        self._clock.update()
        if self._activity is not None:
            self._activity.update()
