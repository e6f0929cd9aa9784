"""Clients that send bit by bit, or do not read, hold neither connections nor memory for long."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from chain import Chain
from chain.rpc.limits import Limits
from chain.rpc.server.access import AccessPolicy
from chain.rpc.server.app import App
from chain.rpc.server.listener import Settings
from chain.rpc.server.server import Server

START = b"POST / HTTP/1.1\r\nhost: localhost\r\n"
UPGRADE = (
    b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
    b"sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
QUICK = Limits(head=1_000, head_seconds=0.05, body_seconds=0.05)  # type: ignore[arg-type]


@contextmanager
def connected(chain: Chain, limits: Limits) -> Iterator[socket.socket]:
    with Server(chain, Settings(port=0, limits=limits)).in_thread() as url:
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=10) as client:
            yield client


def rest_of(client: socket.socket) -> bytes:
    parts = []
    while part := client.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)


@pytest.mark.parametrize(
    ("sent", "part"),
    [
        (b"", b"head"),
        (b"POST / HT", b"head"),
        (START, b"head"),
        (START + b"content-length: 9\r\n\r\n{", b"body"),
        (START + b"transfer-encoding: chunked\r\n\r\n1\r\n{\r\n", b"body"),
    ],
)
def test_requests_arrive_in_time(chain: Chain, sent: bytes, part: bytes) -> None:
    with connected(chain, QUICK) as client:
        client.sendall(sent)
        said = rest_of(client)
    assert said.startswith(b"HTTP/1.1 408 ")
    assert b"the %b of a request must arrive within 0.05 seconds" % part in said


@pytest.mark.parametrize(
    "sent",
    [
        START + b"x: " + b"a" * 1_000,
        START + b"x: " + b"a" * 1_000 + b"\r\n\r\n",
        START + b"x: 1\r\n" * 500,
        b"POST /" + b"a" * 1_000,
    ],
    ids=range(4),
)
def test_heads_have_an_end(chain: Chain, sent: bytes) -> None:
    with connected(chain, Limits(head=1_000)) as client:
        client.sendall(sent)
        said = rest_of(client)
    assert said.startswith(b"HTTP/1.1 431 ")
    assert b"the head of a request has at most 1000 bytes" in said


def test_quick_clients_stay_connected(chain: Chain) -> None:
    with connected(chain, QUICK) as client:
        for _ in range(3):
            client.sendall(START + b"content-length: 2\r\n\r\n{}")
            assert client.recv(4096).startswith(b"HTTP/1.1 200 ")


def masked(text: str) -> bytes:
    """A frame of a client."""
    raw = text.encode()
    return bytes([0x81, 0x80 | len(raw)]) + bytes(4) + raw


def test_slow_clients_are_warned_and_disconnected(chain: Chain) -> None:
    with connected(chain, Limits(waiting=200_000)) as client:
        client.sendall(UPGRADE)
        assert client.recv(4096).startswith(b"HTTP/1.1 101 ")
        client.sendall(masked(json.dumps({"id": 1, "method": "eth_subscribe", "params": ["newHeads"]})))  # fmt: skip
        client.recv(4096)
        client.sendall(masked(json.dumps({"id": 2, "method": "hardhat_mine", "params": ["0x400"]})))  # fmt: skip
        parts = rest_of(client)
    assert b"this client reads too slowly: more than 200000 bytes wait for it" in parts
    assert len(parts) < 400_000  # of more than a million
    assert chain.head.number == 0x400
    assert chain.node.feeds == set()


def test_why_is_said(chain: Chain) -> None:
    chain.node.limits = Limits(waiting=2_000)
    app, sent = App(chain.node, AccessPolicy(), lambda: None), list[Any]()
    wish = json.dumps({"id": 1, "method": "eth_subscribe", "params": ["newHeads"]})
    said = [{"type": "websocket.connect"}, {"type": "websocket.receive", "text": wish}]

    async def receive() -> Any:
        return said.pop(0) if said else await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)
        if message["type"] == "websocket.send":
            await asyncio.Event().wait()

    async def talk() -> None:
        talking = asyncio.ensure_future(app({"type": "websocket", "headers": []}, receive, send))
        while not chain.node.feeds:
            await asyncio.sleep(0)
        chain.mine(9)
        app.publish()
        await asyncio.wait_for(talking, timeout=10)

    asyncio.run(talk())
    assert sent[-1] == {
        "type": "websocket.close",
        "code": 1008,
        "reason": "this client reads too slowly: more than 2000 bytes wait for it",
    }
