"""Clients of a node over raw sockets, all in one thread and cheap enough to keep a node busy; and what its process costs.

A client is a generator: it yields the requests it sends one after the other, and gets the answers.
"""

from __future__ import annotations

import json
import re
import selectors
import socket
import subprocess
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias

PATIENCE = 30.0  # seconds for a node to listen
LENGTH = re.compile(rb"(?i)content-length: *(\d+)")

Client: TypeAlias = Generator[bytes, bytes, None]


class Server(NamedTuple):
    """A running node."""

    process: int
    port: int

    def processor_seconds(self) -> float:
        """Return the processor time that its process has used, of all its threads."""
        return time.clock_gettime((~self.process << 3) | 2)  # the clock of that process, on Linux


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@contextmanager
def running(command: Sequence[str]) -> Iterator[Server]:
    """Start a node on a free port, and end it."""
    port = free_port()
    process = subprocess.Popen([*command, "--port", str(port)], stdout=subprocess.DEVNULL)
    try:
        wait_for(port)
        yield Server(process.pid, port)
    finally:
        process.terminate()
        process.wait()


def wait_for(port: int) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def request(method: str, *params: Any) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    return (
        b"POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        b"content-length: %d\r\n\r\n%b" % (len(body), body)
    )


def repeating(sent: bytes) -> Client:
    while True:
        yield sent


class Connection:
    """A connection of one client, and the seconds that each of its requests took."""

    def __init__(self, port: int, client: Client) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.client, self.took = client, list[float]()
        self._parts, self._missing, self._sent = list[bytes](), 0, 0.0

    def send(self, sent: bytes) -> None:
        self._sent = time.perf_counter()
        self.socket.sendall(sent)

    def receive(self) -> bytes | None:
        """Read what has arrived. Return the body of the answer if it is complete."""
        part = self.socket.recv(1 << 20)
        if not part:
            raise ConnectionError("the node has closed the connection")
        if not self._parts:
            head, _, part = part.partition(b"\r\n\r\n")  # all of them send a head whole
            length = LENGTH.search(head)
            assert length is not None, head
            self._missing = int(length[1])
        self._parts.append(part)
        self._missing -= len(part)
        if self._missing:
            return None
        self.took.append(time.perf_counter() - self._sent)
        body, self._parts = b"".join(self._parts), []
        return body


def converse(port: int, clients: Sequence[Client], seconds: float) -> list[list[float]]:
    """Let clients talk to a node at the same time. Return for each how many seconds each of its requests took."""
    connections = [Connection(port, client) for client in clients]
    end = time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        for connection in connections:
            selector.register(connection.socket, selectors.EVENT_READ, connection)
            connection.send(next(connection.client))
        while selector.get_map():
            for key, _ in selector.select():
                connection = key.data
                body = connection.receive()
                if body is not None and time.monotonic() < end:
                    connection.send(connection.client.send(body))
                elif body is not None:
                    selector.unregister(connection.socket)
    for connection in connections:
        connection.socket.close()
    return [connection.took for connection in connections]
