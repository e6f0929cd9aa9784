"""The node as others meet it: over HTTP and WebSocket, in process where that will do, on a socket where it must."""

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

from chain import Address, Chain, Contract, Key, call, event
from chain.handle import Handle
from chain.rpc.errors import NO_JSON, NOT_HERE, REFUSED, TOO_MUCH
from chain.rpc.limits import Limits
from chain.rpc.server.app import App
from chain.rpc.server.guests import Guests
from chain.rpc.server.joined import Joined
from chain.rpc.server.running import Server, Settings
from chain.types import u64

UPGRADE = b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"
SMALL = Limits(body=2_000, response=1_500, batch=3, log_range=4, logs=2, filters=2, subscriptions=2)


@event
class Rang:
    by: Key[Address]
    times: u64


class Bell(Contract):
    @call
    def ring(self, times: u64) -> None:
        self.emit(Rang(self.caller, times))


class Answer:
    """What a request got."""

    def __init__(self, sent: list[dict[str, Any]]) -> None:
        self.status = sent[0]["status"]
        self.headers = dict(sent[0]["headers"])
        self.body: bytes = sent[1]["body"]

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> int:
        return int(self.json["error"]["code"])


Ask = Callable[..., Answer]


def asking(app: App) -> Ask:
    """A client in process: `ask("eth_chainId")`, or bytes, or a batch."""

    def ask(what: Any, *params: Any, method: str = "POST", **headers: str) -> Answer:
        if isinstance(what, str):
            what = request(what, *params)
        body = what if isinstance(what, bytes) else json.dumps(what).encode()
        named = [(name.encode(), value.encode()) for name, value in headers.items()]
        scope = {"type": "http", "method": method, "headers": named}
        parts = [{"type": "http.request", "body": body, "more_body": False}]
        sent: list[Any] = []

        async def receive() -> Any:
            return parts.pop()

        async def send(message: Any) -> None:
            sent.append(message)

        asyncio.run(app(scope, receive, send))
        return Answer(sent)

    return ask


def request(method: str, *params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)}


def ringing(bell: Handle, times: int) -> dict[str, str]:
    return {"to": str(bell.address), "data": "0x" + bell.ring.calldata(times).hex()}


@pytest.fixture
def chain() -> Chain:
    return Chain()


@pytest.fixture
def ask(chain: Chain) -> Ask:
    guests = Guests(frozenset({"duel.test"}), frozenset({"https://duel.test"}))
    return asking(App(chain.node, guests, lambda: None))


@pytest.fixture
def ask_little(chain: Chain) -> Ask:
    chain.node.limits = SMALL
    return asking(App(chain.node, Guests(), lambda: None))


@pytest.fixture
def bell(chain: Chain) -> Handle:
    return chain.deploy(Bell)


# HTTP


def test_posts_are_answered(ask: Ask) -> None:
    answer = ask("eth_chainId")
    assert (answer.status, answer.json["result"]) == (200, "0x7a69")
    assert answer.headers[b"content-type"] == b"application/json"


def test_batches_are_answered_in_order(ask: Ask) -> None:
    answer = ask([{"id": 1, "method": "eth_chainId"}, {"id": 2, "method": "net_version"}])
    assert [each["id"] for each in answer.json] == [1, 2]


def test_notifications_get_no_body(ask: Ask, chain: Chain) -> None:
    answer = ask({"method": "evm_mine"})
    assert (answer.status, answer.body, chain.head.number) == (204, b"", 1)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"\xff", b"[NaN]", b"[" * 100_000, b'{"id": ' + b"9" * 5_000 + b"}"]
)
def test_broken_json_is_told(ask: Ask, body: bytes) -> None:
    answer = ask(body)
    assert (answer.status, answer.code, answer.json["id"]) == (200, NO_JSON, None)


def test_others_get_a_word(ask: Ask) -> None:
    assert b"Boardchain" in ask(b"", method="GET").body
    assert ask(b"", method="DELETE").status == 405


def test_subscriptions_need_a_websocket(ask: Ask) -> None:
    assert ask("eth_subscribe", "newHeads").code == NOT_HERE


# Guests


@pytest.mark.parametrize(
    "host",
    [
        "localhost:8545",
        "127.0.0.1",
        "[::1]:8545",
        "192.168.1.7:1",
        "a.localhost",
        "duel.test",
    ],
)
def test_known_hosts_are_answered(ask: Ask, host: str) -> None:
    assert ask("eth_chainId", host=host).status == 200


@pytest.mark.parametrize("host", ["evil.test", "localhost.evil.test", "evil.test:8545", "[", ""])
def test_strange_hosts_are_refused(ask: Ask, chain: Chain, host: str) -> None:
    answer = ask("evm_mine", host=host)
    assert (answer.status, answer.code, chain.head.number) == (403, REFUSED, 0)


@pytest.mark.parametrize(
    "origin",
    [
        "http://localhost:5173",
        "https://duel.test",
        "http://127.0.0.1",
        "chrome-extension://abc",
    ],
)
def test_known_pages_may_read(ask: Ask, origin: str) -> None:
    answer = ask("eth_chainId", origin=origin)
    assert answer.headers[b"access-control-allow-origin"] == origin.encode()


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.test",
        "null",
        "https://localhost.evil.test",
        "http://duel.test",
        "https://duel.test.evil",
    ],
)
def test_strange_pages_are_refused(ask: Ask, chain: Chain, origin: str) -> None:
    answer = ask("evm_mine", origin=origin)
    assert (answer.status, chain.head.number) == (403, 0)
    assert b"access-control-allow-origin" not in answer.headers


def test_pages_may_ask_beforehand(ask: Ask) -> None:
    answer = ask(b"", method="OPTIONS", origin="https://duel.test")
    assert answer.headers[b"access-control-allow-methods"] == b"POST"
    assert ask(b"", method="OPTIONS", origin="https://evil.test").status == 403


def test_any_page_can_be_allowed(chain: Chain) -> None:
    ask = asking(App(chain.node, Guests(frozenset("*"), frozenset("*")), lambda: None))
    assert ask("eth_chainId", origin="https://a.test", host="b.test").status == 200


# Limits


def test_large_bodies_are_refused(ask_little: Ask) -> None:
    assert ask_little(b" " * 2_001).code == TOO_MUCH
    assert ask_little(b" " * 2_001).status == 413


def test_long_batches_are_refused(ask_little: Ask, chain: Chain) -> None:
    assert ask_little([request("evm_mine")] * 4).code == TOO_MUCH
    assert chain.head.number == 0


def test_large_answers_are_refused(ask_little: Ask) -> None:
    assert ask_little("eth_getBlockByNumber", "0x0", False).code == TOO_MUCH


def test_batches_end_at_their_limit(ask_little: Ask, chain: Chain) -> None:
    large = request("eth_getBlockByNumber", "0x0")
    answers = ask_little([request("eth_accounts"), large, request("evm_mine")]).json
    assert ["error" in each for each in answers] == [False, True, False]
    assert chain.head.number == 1


def test_long_log_ranges_are_refused(ask_little: Ask, chain: Chain) -> None:
    chain.mine(5)
    assert ask_little("eth_getLogs", {"fromBlock": "0x0"}).code == TOO_MUCH
    assert ask_little("eth_getLogs", {"fromBlock": "0x2"}).json["result"] == []


def test_many_logs_are_refused(ask_little: Ask, chain: Chain, bell: Handle) -> None:
    with chain.block():
        for times in range(3):
            bell.ring(times)
    assert ask_little("eth_getLogs", {}).code == TOO_MUCH


def test_old_filters_make_room(ask_little: Ask) -> None:
    first, second = (ask_little("eth_newBlockFilter").json["result"] for _ in range(2))
    ask_little("eth_getFilterChanges", first)
    ask_little("eth_newBlockFilter")
    assert "result" in ask_little("eth_getFilterChanges", first).json
    assert "error" in ask_little("eth_getFilterChanges", second).json


def test_what_is_written_in_one_turn_leaves_together() -> None:
    class Wire(asyncio.Transport):
        def __init__(self) -> None:
            self.sent: list[bytes] = []
            self.closed_after = -1

        def write(self, data: Any) -> None:
            self.sent.append(data)

        def is_closing(self) -> bool:
            return False

        def close(self) -> None:
            self.closed_after = len(self.sent)

    async def write(wire: Wire) -> None:
        joined = Joined(wire, asyncio.get_running_loop())
        joined.write(b"head ")
        joined.write(b"body")
        await asyncio.sleep(0)
        joined.write(b"last")
        joined.close()

    wire = Wire()
    asyncio.run(write(wire))
    assert (wire.sent, wire.closed_after) == ([b"head body", b"last"], 2)


async def until(holds: Callable[[], Any]) -> None:
    while not holds():
        await asyncio.sleep(0)


def test_who_does_not_read_is_let_go(chain: Chain) -> None:
    chain.node.limits = Limits(waiting=3)
    app = App(chain.node, Guests(), lambda: None)
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


# On a socket


@pytest.fixture
def url(chain: Chain) -> Iterator[str]:
    limits = Limits(body=2_000, subscriptions=2)
    with Server(chain, Settings(port=0, limits=limits)).beside() as url:
        yield url


class Talk:
    """A WebSocket: `talk.ask(…)` is the answer, `talk.told()` what came by itself."""

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


def test_heads_are_told(talk: Talk) -> None:
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


def test_wanted_logs_are_told(bell: Handle, talk: Talk) -> None:
    talk.ask("eth_subscribe", "logs", {"address": str(bell.address)})
    talk.ask("eth_sendTransaction", ringing(bell, 7))
    assert int(talk.told()["result"]["data"], 16) == 7


def test_undone_logs_are_told_again(bell: Handle, talk: Talk) -> None:
    before = talk.ask("evm_snapshot")
    talk.ask("eth_subscribe", "logs")
    for times in (1, 2):
        talk.ask("eth_sendTransaction", ringing(bell, times))
    talk.ask("evm_revert", before)
    told = [talk.told()["result"] for _ in range(4)]
    assert [int(log["data"], 16) for log in told] == [1, 2, 2, 1]
    assert [log["removed"] for log in told] == [False, False, True, True]


def test_going_back_tells_the_head(talk: Talk) -> None:
    talk.ask("evm_mine")
    before = talk.ask("evm_snapshot")
    talk.ask("eth_subscribe", "newHeads")
    talk.ask("evm_mine")
    talk.ask("evm_revert", before)
    assert [talk.told()["result"]["number"] for _ in range(2)] == ["0x2", "0x1"]


@pytest.mark.parametrize("full", [False, True])
def test_pending_transactions_are_told(talk: Talk, full: bool) -> None:
    talk.ask("evm_setAutomine", False)
    talk.ask("eth_subscribe", "newPendingTransactions", full)
    sent = talk.ask("eth_sendTransaction", {"to": "0x" + "11" * 20})
    told = talk.told()["result"]
    assert (told["hash"] if full else told) == sent


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


def test_blocks_come_by_themselves(chain: Chain) -> None:
    chain.automine, chain.node.interval = False, 0.01
    with Server(chain, Settings(port=0)).beside() as url, talking(url) as talk:
        talk.ask("eth_subscribe", "newHeads")
        first, second = (int(talk.told()["result"]["number"], 16) for _ in range(2))
    assert second == first + 1
