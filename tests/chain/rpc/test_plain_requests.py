"""Requests that are answered as soon as they arrive: the same bytes as by the parser, and nothing else is taken for one."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from chain import Chain
from chain.rpc.limits import Limits
from chain.rpc.server.listener import Settings
from chain.rpc.server.plain_requests import PlainRequests
from chain.rpc.server.server import Server
from chain.rpc.server.slow_clients import HttpProtocol
from tests.chain.rpc.test_slow_clients import rest_of

NUMBER = b'{"jsonrpc":"2.0","id":7,"method":"eth_blockNumber"}'
ALICE, BOB = (f"0x{i:040x}" for i in (1, 2))


def posted(body: bytes, *headers: bytes, start: bytes = b"POST / HTTP/1.1") -> bytes:
    lines = [start, b"host: localhost", b"content-length: %d" % len(body), *headers]
    return b"\r\n".join([*lines, b"", body])


def asked(method: str, *params: Any, **fields: Any) -> bytes:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params, **fields}
    return posted(json.dumps(message).encode())


@pytest.fixture
def direct(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The answers that were given without the parser."""
    given: list[bytes] = []
    answer = PlainRequests.answer

    def note(self: PlainRequests, data: bytes) -> bytes | None:
        found = answer(self, data)
        if found is not None:
            given.append(found)
        return found

    monkeypatch.setattr(PlainRequests, "answer", note)
    return given


@pytest.fixture
def client(chain: Chain, direct: list[bytes]) -> Iterator[socket.socket]:
    with Server(chain, Settings(port=0, limits=Limits(head=1_000))).in_thread() as url:
        port = int(url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
            yield client


def exchange(client: socket.socket, sent: bytes) -> bytes:
    client.sendall(sent)
    got = client.recv(1 << 16)
    while b"\r\n\r\n" not in got:
        got += client.recv(1 << 16)
    return got


@pytest.mark.parametrize(
    "sent",
    [
        posted(NUMBER),
        posted(NUMBER, b"Content-Type: application/json", b"Connection: Keep-Alive"),
        posted(NUMBER, b"origin: http://localhost:3000"),
        posted(b'{"jsonrpc":"2.0","method":"eth_blockNumber"}'),  # a notification
        posted(b'{"id":[1],"method":5}'),
        asked("eth_none"),
        asked("eth_getBalance", "0x1", "latest"),
        asked("eth_getBalance", ALICE, "latest", id=2**70),
        asked("eth_call", {"to": ALICE}),
        asked("eth_call", {"to": ALICE, "value": "0x1"}),
    ],
)
def test_plain_answers_equal_those_of_the_parser(
    client: socket.socket, direct: list[bytes], sent: bytes
) -> None:
    first = exchange(client, sent)
    assert direct == []
    assert exchange(client, sent) == exchange(client, sent) == first
    assert direct == [first, first]


@pytest.mark.parametrize(
    "sent",
    [
        posted(b"[%b]" % NUMBER),  # a batch
        posted(b"{nothing"),
        posted(NUMBER, start=b"POST /page HTTP/1.1"),
        posted(NUMBER, start=b"PUT / HTTP/1.1"),
        posted(NUMBER, b"origin: http://evil.example"),
        posted(NUMBER, b"host: localhost"),  # twice
        asked("chain_sql", "select 1"),
        asked("evm_increaseTime", 5),
    ],
)
def test_other_requests_go_the_way_of_all(
    chain: Chain, client: socket.socket, direct: list[bytes], sent: bytes
) -> None:
    chain.automine = False
    chain.send(BOB)  # a transaction that runs again when the time is moved
    assert exchange(client, sent).startswith(b"HTTP/1.1 ")
    assert exchange(client, sent).startswith(b"HTTP/1.1 ")
    assert direct == []


def test_a_known_head_needs_its_body_alone(client: socket.socket, direct: list[bytes]) -> None:
    sent = posted(NUMBER)
    answer = exchange(client, sent)
    client.sendall(sent[:-1])
    assert exchange(client, sent[-1:]) == answer  # in two pieces
    client.sendall(sent + sent)  # two at once
    both = b""
    while len(both) < 2 * len(answer):
        both += client.recv(1 << 16)
    assert both == 2 * answer
    assert direct == []
    assert exchange(client, sent) == answer == direct[0]


def test_a_client_may_end_with_a_plain_request(client: socket.socket) -> None:
    for _ in range(2):
        exchange(client, posted(NUMBER))
    client.sendall(posted(NUMBER, b"connection: close"))
    assert b"connection: close" in rest_of(client)


def test_transactions_are_sent_once(chain: Chain, client: socket.socket) -> None:
    sender = str(chain.accounts[0])
    for i in range(1, 4):
        answer = exchange(client, asked("eth_sendTransaction", {"from": sender, "to": BOB, "value": "0x1"}))  # fmt: skip
        assert b'"result":"0x' in answer
        assert chain.balance(BOB) == i


def start_soon(protocol: HttpProtocol) -> None:
    expire = protocol.timeout_keep_alive_handler
    protocol.timeout_keep_alive_task = protocol.loop.call_later(0.05, expire)


def test_a_connection_in_use_stays_open(
    client: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The timer of a silent connection is not started again by each request."""
    over: list[bool] = []
    expire = HttpProtocol.timeout_keep_alive_handler

    def note(self: HttpProtocol) -> None:
        over.append(self._is_used)
        expire(self)

    monkeypatch.setattr(HttpProtocol, "timeout_keep_alive_handler", note)
    monkeypatch.setattr(HttpProtocol, "_start_keep_alive", start_soon)
    exchange(client, posted(NUMBER))
    other = socket.create_connection(client.getpeername(), timeout=10)
    with other:
        assert exchange(other, posted(NUMBER)).startswith(b"HTTP/1.1 200")
        assert rest_of(other) == b""  # after it was silent for so long
    assert over == [True, False]
