"""The cost of the explorer: pages and steps of boards on a chain in a file, and the load of an open page on a node.

`python scripts/bench_explorer.py [FILE]` shows it for the chain in FILE, else for recorded games of Deblockle. What counts is
the processor time of the process that answers. The first page is the first answer after the chain was opened.
"""

from __future__ import annotations

import asyncio
import gzip
import http.client
import math
import re
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, Final
from urllib.parse import unquote

import bench_deblockle
from bench_node import asking
from bench_runner import limit
from node_clients import free_port, wait_for

from chain import Chain
from chain.explorer import explorer, live
from chain.explorer.explorer import Explorer
from chain.simulator.catalogue import ContractCatalogue
from contracts.deblockle import Deblockle

GAMES: Final = 20  # times that all recorded games are played, without a FILE
PAGES: Final = (
    "/", "/?before={half}", "/?ok=0", "/?contract=Deblockle", "/tx/{half}", "/tx/{last}", "/boards", "/events", "/contracts",
    "/contract/Deblockle", "/contract/Deblockle?block={block}", "/worlds", "/accounts", "/blocks?before={block}",
    "/block/{block}", "/sql", "/search?q=move", "/stats",
)  # fmt: skip
PAGE, BOARD, FIRST = 20, 30, 500  # milliseconds
SIZE, SCRIPT = 60_000, 10_000  # bytes
BOARDS, STEPS = 30, 12
ROUNDS, CALLS, FETCHES, SHARE = 6, 300, 15, 0.95
SCRIPT_FILE: Final = Path(explorer.__file__).parent / "static" / "explorer.js"


def show(file: Path | None = None) -> None:
    size = SCRIPT_FILE.stat().st_size
    print(f"  script of the pages: {size / 1e3:.1f} kB{limit(size <= SCRIPT, '10 kB')}")
    with TemporaryDirectory() as folder:
        show_pages(file or played(Path(folder, "bench.chain")))
    show_live()


def played(path: Path) -> Path:
    """Play the recorded games of Deblockle in a new file."""
    with Chain.open(path, contracts=[Deblockle]) as chain:
        desk = chain.deploy(Deblockle)
        for game in bench_deblockle.recorded() * GAMES:
            made = desk.create_game(game["first"], game["second"], game["num_cubes"])
            for step in bench_deblockle.moves(game):
                entry = desk.make_move if step["m"] == "make_move" else desk.pass_move
                entry(made.return_value, *step["a"], sender=chain.account(step["by"]), check=False)
    return path


# Pages


class Browser:
    """Asks the explorer of a file for pages."""

    def __init__(self, path: Path) -> None:
        self.chain = Chain.watch(path)
        for contract in ContractCatalogue("contracts").classes:
            self.chain.declare(contract)
        self.explorer = Explorer(self.chain, refuse)
        self._loop = asyncio.new_event_loop()

    def get(self, url: str, part: str = "") -> tuple[float, bytes]:
        """Return the milliseconds of processor time that an answer took, and the answer."""
        path, _, query = url.partition("?")
        body = list[bytes]()

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Any) -> None:
            assert message.get("status", 200) == 200, url
            body.append(message.get("body", b""))

        headers = [(b"host", b"localhost"), *([(b"x-part", part.encode())] if part else [])]
        scope = {
            "type": "http", "method": "GET", "path": unquote(path), "raw_path": path.encode(), "query_string": query.encode(),
            "root_path": "", "scheme": "http", "http_version": "1.1", "headers": headers,
        }  # fmt: skip
        start = time.process_time()
        self._loop.run_until_complete(self.explorer(scope, receive, send))
        return (time.process_time() - start) * 1e3, b"".join(body)

    def read_all(self) -> None:
        """Read all receipts, as is done between requests."""
        application = self.explorer._application
        assert application is not None
        application.site.survey.update(math.inf)


async def refuse(method: str, params: Sequence[object]) -> Any:
    raise AssertionError(f"{method} takes long: it is not measured here")


def show_pages(path: Path) -> None:
    browser = Browser(path)
    first, _ = browser.get("/")
    receipts, blocks = len(browser.chain.ledger.receipts), len(browser.chain.ledger.blocks)
    print(
        f"  first page of {receipts:,} receipts: {first:.0f} ms{limit(first <= FIRST, f'{FIRST} ms')}"
    )
    numbers = {"half": receipts // 2, "last": receipts - 1, "block": blocks // 2}
    urls = [page.format(**numbers) for page in PAGES]
    while_reading = [browser.get(url)[0] for url in urls for _ in range(2)][1::2]
    print(f"  dearest page while receipts are read: {max(while_reading):.1f} ms")
    browser.read_all()
    found = {url: [browser.get(url) for _ in range(3)] for url in urls}
    costs = {url: median(cost for cost, _ in answers) for url, answers in found.items()}
    sizes = {url: len(gzip.compress(answers[0][1])) for url, answers in found.items()}
    dearest, largest = max(costs, key=costs.__getitem__), max(sizes, key=sizes.__getitem__)
    print(f"  dearest page: {costs[dearest]:.1f} ms, {dearest}{limit(costs[dearest] <= PAGE, f'{PAGE} ms')}")  # fmt: skip
    met = limit(sizes[largest] <= SIZE, "60 kB")
    print(f"  largest page: {sizes[largest] / 1e3:.1f} kB gzipped, {largest}{met}")
    show_boards(browser, receipts)


def show_boards(browser: Browser, receipts: int) -> None:
    chance, jumps, steps = Random(1), list[float](), list[float]()
    for _ in range(BOARDS):
        _, page = browser.get(f"/boards?before={chance.randrange(receipts // 50, receipts)}")
        board = chance.choice(re.findall(r'href="(/board/[^"]+)"', page.decode()))
        cost, page = browser.get(board)
        count = int(re.findall(r'data-count="(\d+)"', page.decode())[0])
        ply = chance.randrange(1, count + 1)
        jumps += [cost, browser.get(f"{board}/{ply}")[0]]
        for step in range(ply, min(count, ply + STEPS) + 1):
            steps.append(browser.get(f"{board}/{step}", "stage")[0])
    for what, costs in (("jump to a board", jumps), ("key to new board", steps)):
        usual, most = median(costs), sorted(costs)[int(len(costs) * 0.95)]
        print(f"  {what}: {usual:.1f} ms, 95 of 100 at most {most:.1f} ms{limit(most <= BOARD, f'{BOARD} ms')}")  # fmt: skip


# A node with an open page


def show_live() -> None:
    """Show what an open page costs a node that is busy: something for each call, and a fetch a few times a second.

    Both are processor time of the node, in turns with the same calls without a page: a loaded machine would make calls rare
    and leave the fetches as many.
    """
    with node() as (pid, port):
        connection = http.client.HTTPConnection("127.0.0.1", port)
        ask = asking(connection)
        sender, receiver = ask("eth_accounts")[:2]

        def send() -> None:
            ask("eth_sendTransaction", {"from": sender, "to": receiver, "value": "0x1"})

        def fetch() -> None:
            connection.request("GET", "/", headers={"x-part": "list"})
            connection.getresponse().read()

        def cost(act: Callable[[], None]) -> float:
            start = processor_seconds(pid)
            act()
            return processor_seconds(pid) - start

        alone, watched, fetched = list[float](), list[float](), list[float]()
        for _ in range(ROUNDS):
            alone += [cost(send) for _ in range(CALLS)]
            with listening(port):
                watched += [cost(send) for _ in range(CALLS)]
            for _ in range(FETCHES):
                send()  # so that there is something new
                fetched.append(cost(fetch))
        connection.close()
    a_call, beside, a_fetch = median(alone), median(watched), median(fetched)
    share = a_call / beside * (1 - a_fetch / live._PAUSE)
    print(
        f"  a call of a node: {a_call * 1e6:.0f} us, while a page listens {beside * 1e6:.0f} us;"
        f" what it fetches {a_fetch * 1e3:.1f} ms, every {live._PAUSE} s at most"
    )
    print(f"  calls of a busy node with an open page: {share:.1%}{limit(share >= SHARE, f'{SHARE:.0%}')}")  # fmt: skip


@contextmanager
def node() -> Iterator[tuple[int, int]]:
    port = free_port()
    command = [sys.executable, "-m", "chain", "node", "--quiet", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        wait_for(port)
        yield process.pid, port
    finally:
        process.terminate()
        process.wait()


def processor_seconds(pid: int) -> float:
    """Return the processor time of a process's first thread, in which a node answers."""
    return int(Path(f"/proc/{pid}/schedstat").read_text("utf-8").split()[0]) / 1e9


@contextmanager
def listening(port: int) -> Iterator[None]:
    """Receive the messages that an open page receives."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/-/live")
    news = connection.getresponse()
    news.readline()
    reader = Thread(target=lambda: deque(iter(news.readline, b""), maxlen=0), daemon=True)
    reader.start()
    try:
        yield
    finally:
        assert connection.sock is not None
        connection.sock.shutdown(socket.SHUT_RDWR)
        reader.join()
        connection.close()


if __name__ == "__main__":
    show(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
