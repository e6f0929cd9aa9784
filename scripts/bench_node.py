"""Measures the node compared with anvil: one client, one connection, `eth_sendTransaction` and its receipt, each its own block.

Both run on this machine, in turns; the best of their rounds is what counts. The client is the same few lines for both, and
so is its cost. anvil comes with the clients of the tests (`scripts/setup_clients`).
"""

from __future__ import annotations

import http.client
import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROUNDS, TRANSACTIONS = 5, 1_000
ANVIL = Path(__file__).parents[1] / "tests" / "clients" / "node_modules" / ".bin" / "anvil"
PATIENCE = 30.0  # seconds for a node to listen


def main() -> None:
    anvil = str(ANVIL) if ANVIL.exists() else shutil.which("anvil")
    if anvil is None:
        raise SystemExit("there is no anvil to compare with: run scripts/setup_clients first")
    ours, theirs = free_port(), free_port()
    boardchain = [sys.executable, "-m", "chain", "node", "--quiet", "--port", str(ours)]
    with running(boardchain, ours), running([anvil, "--silent", "--port", str(theirs)], theirs):
        rounds = [(rate(ours), rate(theirs)) for _ in range(ROUNDS)]
    best, bar = (max(each) for each in zip(*rounds, strict=True))
    met = "met" if best >= bar else "MISSED"
    print(f"transactions with their receipts over HTTP: {best:.0f}/s, anvil {bar:.0f}/s")
    print(f"{best / bar:.2f} times anvil (bar 1.0: {met})")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@contextmanager
def running(command: Sequence[str], port: int) -> Iterator[None]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        wait_for(port)
        yield
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


def rate(port: int) -> float:
    """Transactions a second, over one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.connect()
    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    ask = asking(connection)
    sender, receiver = ask("eth_accounts")[:2]
    start = time.perf_counter()
    for _ in range(TRANSACTIONS):
        made = ask("eth_sendTransaction", {"from": sender, "to": receiver, "value": "0x1"})
        while ask("eth_getTransactionReceipt", made) is None:  # anvil mines it a moment later
            pass
    took = time.perf_counter() - start
    connection.close()
    return TRANSACTIONS / took


def asking(connection: http.client.HTTPConnection) -> Callable[..., Any]:
    headers = {"content-type": "application/json"}

    def ask(method: str, *params: Any) -> Any:
        asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        connection.request("POST", "/", json.dumps(asked), headers)
        return json.loads(connection.getresponse().read())["result"]

    return ask


if __name__ == "__main__":
    main()
