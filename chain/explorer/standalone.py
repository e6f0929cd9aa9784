"""Pages without a node of their own: of a chain in a file or in another node, or of the results of a campaign."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Protocol

from chain.explorer.explorer import Explorer
from chain.explorer.file_tables import FileTables
from chain.rpc.errors import RpcError
from chain.rpc.server.access import AccessPolicy
from chain.rpc.server.app import Message, Receive, Send
from chain.rpc.server.listener import Listener, Settings
from chain.simulator.chain import Chain
from chain.simulator.node_client import NodeClient, NodeError

_PAUSE: Final = 0.1  # seconds between two polls of a chain that grows elsewhere


class ServedPages(Protocol):
    """The pages of a server that serves nothing else."""

    @property
    def is_watched(self) -> bool: ...
    def publish(self) -> None: ...
    def close(self) -> None: ...
    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None: ...


class Alone:
    """Serves pages and nothing else."""

    def __init__(self, pages: ServedPages, access: AccessPolicy) -> None:
        self._pages, self._access = pages, access

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        host = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
        if not self._access.knows_host(host):
            await send({"type": "http.response.start", "status": 403, "headers": []})
            await send({"type": "http.response.body", "body": b"this name is not known here\n"})
            return
        await self._pages(scope, receive, send)


class PageServer(Listener):
    """Serves pages on a port until it is stopped. `look` learns what others have written, while a page listens."""

    def __init__(
        self, pages: ServedPages, settings: Settings, look: Callable[[], object] | None = None
    ) -> None:
        self._pages, self._look_once = pages, look
        super().__init__(Alone(pages, settings.access), settings, pages.close)

    async def _serve(self) -> None:
        looking = None if self._look_once is None else asyncio.create_task(self._look())
        try:
            await super()._serve()
        finally:
            if looking is not None:
                looking.cancel()

    async def _look(self) -> None:
        assert self._look_once is not None
        while True:
            await asyncio.sleep(_PAUSE)
            if self._pages.is_watched:
                with suppress(OSError, ValueError):  # the node may be away for a while
                    self._look_once()
                    self._pages.publish()


class AloneServer(PageServer):
    """Serves the pages of a chain.

    `client` is the client of the chain's node, if it is in one; `file` is its file, if another process writes that. Such a
    chain is polled while a page listens. What pages need is imported as soon as the port is open.
    """

    def __init__(
        self,
        chain: Chain,
        settings: Settings,
        client: NodeClient | None = None,
        *,
        file: Path | None = None,
        writes: bool = False,
    ) -> None:
        self._chain = chain
        ask = _of_node(client) if client is not None else of_chain(chain, file)
        grows = file is not None or client is not None
        self._explorer = Explorer(chain, ask, writes=writes)
        super().__init__(self._explorer, settings, chain.settle if grows else None)

    def run(self, told: Callable[[], None] = lambda: None) -> None:
        def ready() -> None:
            told()
            self._preparing = asyncio.get_running_loop().create_task(self._explorer.prepare())

        super().run(ready)


def of_chain(chain: Chain, file: Path | None = None) -> Callable[[str, Sequence[object]], Any]:
    """Return how the chain of this process is asked."""

    tables = None if file is None else FileTables(file)

    async def ask(method: str, params: Sequence[object]) -> Any:
        if method == "chain_sql" and tables is not None:
            return await asyncio.to_thread(tables.query, str(params[0]))
        return chain.node.request(method, params)

    return ask


def _of_node(client: NodeClient) -> Callable[[str, Sequence[object]], Any]:
    turn = asyncio.Lock()

    async def ask(method: str, params: Sequence[object]) -> Any:
        try:
            async with turn:
                return await asyncio.to_thread(client, method, params)
        except NodeError as error:
            raise RpcError(error.code, str(error)) from None

    return ask
