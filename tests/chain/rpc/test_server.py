"""The node as its clients see it: over HTTP and WebSocket, in process where possible, else on a socket."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
from collections.abc import Callable
from typing import Any

import pytest

from chain import Chain
from chain.rpc.errors import METHOD_UNAVAILABLE, NO_JSON, REFUSED, TOO_MUCH
from chain.rpc.limits import Limits
from chain.rpc.server.access import AccessPolicy
from chain.rpc.server.app import App
from chain.rpc.server.collector import Collector
from chain.rpc.server.single_packet import Joined
from chain.simulator.handle import Handle

SMALL = Limits(
    body=2_000,
    response=1_500,
    batch=3,
    log_range=4,
    logs=2,
    filters=2,
    subscriptions=2,
    snapshots=2,
)


ORIGINS = frozenset({"https://duel.test", "chrome-extension://allowed", "moz-extension://*"})


class Answer:
    """The answer to a request."""

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


@pytest.fixture
def ask(chain: Chain) -> Ask:
    guests = AccessPolicy(frozenset({"duel.test"}), ORIGINS)
    return asking(App(chain.node, guests, lambda: None))


@pytest.fixture
def ask_little(chain: Chain) -> Ask:
    chain.node.limits = SMALL
    return asking(App(chain.node, AccessPolicy(), lambda: None))


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
    "body",
    [
        *(
            b"",
            b"{",
            b"\xff",
            b"\xef\xbb\xbf{}",
            b"[NaN]",
            b"{}{}",
            b'{"id": 1} {}',
            b"[" * 100_000,
            b'{"id": ' + b"9" * 5_000 + b"}",
        ),
        *(b'{"id": 1e999}', b'{"id": {"a": [-1e999]}, "method": "eth_chainId"}'),
        *(b'{"id": 1, "method": "web3_sha3", "params": [1e999]}', b'{"id": Infinity}'),
    ],
)
def test_broken_json_is_reported(ask: Ask, body: bytes) -> None:
    answer = ask(body)
    assert (answer.status, answer.code, answer.json["id"]) == (200, NO_JSON, None)


def test_others_get_a_word(ask: Ask) -> None:
    assert b"Boardchain" in ask(b"", method="GET").body
    assert ask(b"", method="DELETE").status == 405


def test_subscriptions_need_a_websocket(ask: Ask) -> None:
    assert ask("eth_subscribe", "newHeads").code == METHOD_UNAVAILABLE


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
        "chrome-extension://allowed",
        "moz-extension://any-of-them",
        "Titanoboa",
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
        "chrome-extension://another",
        "safari-web-extension://abc",
        "https://localhost.evil.test",
        "http://duel.test",
        "https://duel.test.evil",
    ],
)
def test_foreign_pages_are_refused(ask: Ask, chain: Chain, origin: str) -> None:
    answer = ask("evm_mine", origin=origin)
    assert (answer.status, chain.head.number) == (403, 0)
    assert b"access-control-allow-origin" not in answer.headers


def test_pages_may_ask_beforehand(ask: Ask) -> None:
    answer = ask(b"", method="OPTIONS", origin="https://duel.test")
    assert answer.headers[b"access-control-allow-methods"] == b"POST"
    assert ask(b"", method="OPTIONS", origin="https://evil.test").status == 403


def test_any_page_can_be_allowed(chain: Chain) -> None:
    ask = asking(App(chain.node, AccessPolicy(frozenset("*"), frozenset("*")), lambda: None))
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


def test_old_snapshots_make_room(ask_little: Ask) -> None:
    first, second, third = (ask_little("evm_snapshot").json["result"] for _ in range(3))
    back = [ask_little("evm_revert", each).json["result"] for each in (first, third, second)]
    assert back == [False, True, True]


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


def test_collections_are_shortened_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, and again whenever something was imported."""
    did: list[str] = []
    for name in ("collect", "freeze", "set_threshold"):
        monkeypatch.setattr(gc, name, lambda *_, name=name: did.append(name))
    collector = Collector()
    collector.update()
    assert did == []
    collector.shorten()
    collector.update()
    assert did == ["collect", "freeze", "set_threshold"]
    monkeypatch.setitem(sys.modules, "another", sys)
    collector.update()
    assert len(did) == 6
