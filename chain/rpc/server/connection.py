"""One WebSocket connection: requests are answered in order, and subscriptions send messages in between.

Outgoing messages wait in a queue, so the chain never waits for a client. A client whose answers pile up must read them before
its next request is read. A client that falls too far behind is disconnected.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from chain.rpc.eth.subscriptions import Subscriptions
from chain.rpc.json_format import Json
from chain.rpc.json_messages import encode, handle_bytes
from chain.rpc.node import Node
from chain.rpc.server.request_runner import Runner

Message = MutableMapping[str, Any]
_TOO_SLOW: Final = 1008  # close code: policy violation


class Connection:
    """The conversation over one connection."""

    def __init__(
        self,
        node: Node,
        runner: Runner,
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
        after: Callable[[], None],
    ) -> None:
        self._node, self._receive, self._send, self._after = node, receive, send, after
        self._runner = runner
        self._subscriptions = Subscriptions(node, self._send_error)
        self._waiting: deque[bytes] = deque()
        self._size = 0  # bytes in the queue
        self._more, self._fewer = asyncio.Event(), asyncio.Event()
        self._is_over = asyncio.Event()
        self.publish = self._subscriptions.publish

    async def run(self) -> None:
        """Answer requests until the client disconnects or falls too far behind."""
        parts = [asyncio.create_task(part) for part in (self._read(), self._write(), self._is_over.wait())]  # fmt: skip
        try:
            await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._subscriptions.close()
            for part in parts:
                part.cancel()
            await asyncio.gather(*parts, return_exceptions=True)
        if self._is_over.is_set():
            self._waiting.clear()
            await self._send({"type": "websocket.close", "code": _TOO_SLOW, "reason": self._why})

    @property
    def _why(self) -> str:
        limit = self._node.limits.waiting
        return f"this client reads too slowly: more than {limit} bytes wait for it"

    async def _read(self) -> None:
        while (message := await self._receive())["type"] != "websocket.disconnect":
            text = message.get("text")
            raw = message["bytes"] if text is None else text.encode("utf-8", "surrogatepass")
            answer = await handle_bytes(self._node.limits, raw, self._run)
            if answer is not None:
                self._put(answer)
            self._after()
            while self._is_behind:
                self._fewer.clear()
                await self._fewer.wait()

    async def _run(self, message: object, room: int) -> bytes | None:
        return await self._runner.answer(message, self._subscriptions.methods, room)

    async def _write(self) -> None:
        while True:
            await self._more.wait()
            self._more.clear()
            while self._waiting:
                text = self._waiting.popleft().decode("ascii")
                self._size -= len(text)
                self._fewer.set()
                await self._send({"type": "websocket.send", "text": text})

    def _send_error(self, message: Json) -> bool:
        self._put(encode(message))
        return not self._is_over.is_set()

    @property
    def _is_behind(self) -> bool:
        """True if the client must read answers before its next request is read."""
        limits = self._node.limits
        return len(self._waiting) >= limits.batch or self._size >= limits.waiting // 2

    def _put(self, raw: bytes) -> None:
        if self._size + len(raw) > self._node.limits.waiting:
            self._is_over.set()
            return
        self._waiting.append(raw)
        self._size += len(raw)
        self._more.set()
