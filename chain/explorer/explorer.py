"""The ASGI application that a server mounts. It builds the site on the first request."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from chain.simulator.chain import Chain

if TYPE_CHECKING:
    from chain.explorer.application import Application
    from chain.rpc.server.app import Ask, Message, Receive, Send


class Explorer:
    """The pages of one chain. With `writes` they have forms that send transactions.

    Requests that may take long go through `ask` as JSON-RPC, so that they run in parallel with others and within the limits
    of a node.
    """

    def __init__(self, chain: Chain, ask: Ask, *, writes: bool = False) -> None:
        self._chain, self._ask, self._writes = chain, ask, writes
        self._application: Application | None = None

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        await self._built()(scope, receive, send)

    async def prepare(self) -> None:
        """Import what pages need, before the first request for one."""
        await self._built().site.prepare()

    def _built(self) -> Application:
        if self._application is None:
            site = import_module("chain.explorer.site").Site
            application = import_module("chain.explorer.application").Application
            made: Application = application(site(self._chain, self._ask, writes=self._writes))
            self._application = made
        return self._application

    @property
    def is_watched(self) -> bool:
        """True if an open page listens for news."""
        return self._application is not None and self._application.site.live.has_listeners

    def publish(self) -> None:
        """Notify open pages that the chain may have grown. A node calls this after each request."""
        if self._application is not None:
            self._application.site.live.publish()

    def close(self) -> None:
        """End the connections that open pages listen on."""
        if self._application is not None:
            self._application.site.live.close()
