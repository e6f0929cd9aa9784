"""The node on a socket: heads, logs and transactions are sent to their subscribers."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosedError, InvalidStatus
from websockets.sync.client import connect

from chain import Chain
from chain.rpc.errors import NO_JSON, TOO_MUCH
from chain.rpc.limits import Limits
from chain.rpc.server.access import AccessPolicy
from chain.rpc.server.app import App
from chain.rpc.server.listener import Settings
from chain.rpc.server.server import Server
from chain.simulator.handle import Handle

UPGRADE = b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"


def request(method: str, *params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)}


def ringing(bell: Handle, times: int) -> dict[str, str]:
    return {"to": str(bell.address), "data": "0x" + bell.ring.calldata(times).hex()}


async def until(holds: Callable[[], Any]) -> None:
    while not holds():
        await asyncio.sleep(0)


def test_slow_clients_are_disconnected(chain: Chain) -> None:
    chain.node.limits = Limits(waiting=3_000)
    app = App(chain.node, AccessPolicy(), lambda: None)
    said = [{"type": "websocket.connect"}]
    said.append({"type": "websocket.receive", "text": json.dumps(request("eth_subscribe", "newHeads"))})  # fmt: skip

    async def receive() -> Any:
        return said.pop(0) if said else await asyncio.Event().wait()

    async def send(message: Any) -> None:
        if message["type"] == "websocket.send":
            await asyncio.Event().wait()

    async def talk() -> None:
        talking = asyncio.ensure_future(app({"type": "websocket", "headers": []}, receive, send))
        await until(lambda: chain.node.feeds)
        chain.mine(5)
        app.publish()
        await asyncio.wait_for(talking, timeout=10)

    asyncio.run(talk())
    assert not app.sockets
    assert not chain.node.feeds


@pytest.fixture
def url(chain: Chain) -> Iterator[str]:
    limits = Limits(body=2_000, subscriptions=2)
    with Server(chain, Settings(port=0, limits=limits)).in_thread() as url:
        yield url


class Talk:
    """A WebSocket: `talk.ask(…)` is the answer, `talk.told()` a notification."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self._told: list[Any] = []

    def ask(self, method: str, *params: Any) -> Any:
        self.send(json.dumps(request(method, *params)))
        while "id" not in (message := self._receive()):
            self._told.append(message["params"])
        return message.get("result", message.get("error"))

    def send(self, text: str | bytes) -> None:
        self._socket.send(text)

    def told(self) -> Any:
        return self._told.pop(0) if self._told else self._receive()["params"]

    def _receive(self) -> Any:
        return json.loads(self._socket.recv(timeout=10))


@contextmanager
def talking(url: str, **options: Any) -> Iterator[Talk]:
    with connect(url.replace("http", "ws"), **options) as socket:
        yield Talk(socket)


@pytest.fixture
def talk(url: str) -> Iterator[Talk]:
    with talking(url) as talk:
        yield talk


def test_head_and_body_come_together(url: str) -> None:
    host, port = url.removeprefix("http://").split(":")
    body = json.dumps(request("eth_chainId")).encode()
    head = f"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(body)}\r\n\r\n".encode()
    with socket.create_connection((host, int(port)), timeout=10) as client:
        for _ in range(20):
            client.sendall(head + body)
            assert client.recv(4096).endswith(b'"0x7a69"}')


def test_noise_ends_only_its_own_connection(url: str, chain: Chain) -> None:
    host, port = url.removeprefix("http://").split(":")
    random = Random(1)
    for _ in range(100):
        noise = random.choice([b"", b"POST / HTTP/1.1\r\n", UPGRADE]) + random.randbytes(200)
        with socket.create_connection((host, int(port)), timeout=10) as client:
            client.sendall(noise)
    with talking(url) as talk:
        assert talk.ask("eth_blockNumber") == "0x0"


def test_large_messages_end_their_talk(talk: Talk, url: str) -> None:
    talk.send(" " * 2_001)
    with pytest.raises(ConnectionClosedError, match="1009"):
        talk.told()
    with talking(url) as other:
        assert other.ask("eth_chainId") == "0x7a69"


def test_talks_are_answered(talk: Talk) -> None:
    assert talk.ask("eth_chainId") == "0x7a69"
    talk.send(b"[")
    assert talk._receive()["error"]["code"] == NO_JSON


def test_heads_are_reported(talk: Talk) -> None:
    number = talk.ask("eth_subscribe", "newHeads")
    talk.ask("evm_mine")
    told = talk.told()
    assert (told["subscription"], told["result"]["number"]) == (number, "0x1")
    assert told["result"]["hash"] == talk.ask("eth_getBlockByNumber", "latest", False)["hash"]


def test_others_mine_heads_too(talk: Talk, url: str) -> None:
    talk.ask("eth_subscribe", "newHeads")
    with talking(url) as other:
        other.ask("evm_mine")
    assert talk.told()["result"]["number"] == "0x1"


def test_wanted_logs_are_reported(bell: Handle, talk: Talk) -> None:
    talk.ask("eth_subscribe", "logs", {"address": str(bell.address)})
    talk.ask("eth_sendTransaction", ringing(bell, 7))
    assert int(talk.told()["result"]["data"], 16) == 7


def test_undone_logs_are_reported_again(bell: Handle, talk: Talk) -> None:
    before = talk.ask("evm_snapshot")
    talk.ask("eth_subscribe", "logs")
    for times in (1, 2):
        talk.ask("eth_sendTransaction", ringing(bell, times))
    talk.ask("evm_revert", before)
    told = [talk.told()["result"] for _ in range(4)]
    assert [int(log["data"], 16) for log in told] == [1, 2, 2, 1]
    assert [log["removed"] for log in told] == [False, False, True, True]


def test_going_back_shows_the_head(talk: Talk) -> None:
    talk.ask("evm_mine")
    before = talk.ask("evm_snapshot")
    talk.ask("eth_subscribe", "newHeads")
    talk.ask("evm_mine")
    talk.ask("evm_revert", before)
    assert [talk.told()["result"]["number"] for _ in range(2)] == ["0x2", "0x1"]


@pytest.mark.parametrize("full", [False, True])
def test_pending_transactions_are_reported(talk: Talk, full: bool) -> None:
    talk.ask("evm_setAutomine", False)
    talk.ask("eth_subscribe", "newPendingTransactions", full)
    sent = talk.ask("eth_sendTransaction", {"to": "0x" + "11" * 20})
    told = talk.told()["result"]
    assert (told["hash"] if full else told) == sent


def test_receipts_are_reported_decoded(bell: Handle, talk: Talk) -> None:
    number = talk.ask("chain_subscribe", "receipts", {"entry": "ring"})
    saved = talk.ask("evm_snapshot")
    talk.ask("eth_sendTransaction", ringing(bell, 7))
    told = talk.told()
    assert (told["subscription"], told["result"]["args"]) == (number, {"times": 7})
    position = told["result"]["position"]
    talk.ask("evm_revert", saved)
    talk.ask("eth_sendTransaction", ringing(bell, 8))
    assert talk.told()["result"] == {"undone": position}
    assert talk.told()["result"]["args"] == {"times": 8}
    assert talk.ask("chain_unsubscribe", number) is True
    assert "there is receipts" in talk.ask("chain_subscribe", "logs")["message"]


def test_ended_subscriptions_are_quiet(talk: Talk) -> None:
    number = talk.ask("eth_subscribe", "newHeads")
    assert talk.ask("eth_unsubscribe", number) is True
    assert talk.ask("eth_unsubscribe", number) is False
    talk.ask("evm_mine")
    assert talk._told == []


def test_subscriptions_are_counted(talk: Talk) -> None:
    assert talk.ask("eth_subscribe", "weather")["code"] == -32602
    for _ in range(2):
        talk.ask("eth_subscribe", "newHeads")
    assert talk.ask("eth_subscribe", "newHeads")["code"] == TOO_MUCH


def test_subscriptions_end_with_their_talk(chain: Chain, url: str) -> None:
    with talking(url) as gone:
        gone.ask("eth_subscribe", "newHeads")
    with talking(url) as left:
        left.ask("eth_subscribe", "newHeads")
        assert len(chain.node.feeds) == 1


def test_strange_pages_get_no_talk(url: str) -> None:
    with pytest.raises(InvalidStatus, match="HTTP 403"), talking(url, origin="https://evil.test"):
        pass


def test_blocks_are_mined_automatically(chain: Chain) -> None:
    chain.automine, chain.node.interval = False, 0.01
    with Server(chain, Settings(port=0)).in_thread() as url, talking(url) as talk:
        talk.ask("eth_subscribe", "newHeads")
        first, second = (int(talk.told()["result"]["number"], 16) for _ in range(2))
    assert second == first + 1
