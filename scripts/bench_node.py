"""Measures the node beside anvil: transactions and their receipts, reads, fifty clients, and long requests beside short ones.

Both run on this machine, in turns, and the best round of each counts. Reads are compared by the processor time of the server,
which other processes disturb least. Each client repeats its request, as a page does that waits for a block; but the node keeps
the results of calls, so distinct calls are measured, too. anvil comes with the clients of the tests (`scripts/setup_clients`).
"""

from __future__ import annotations

import http.client
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, count
from pathlib import Path
from statistics import quantiles
from typing import Any, TypeAlias, TypeVar

from bench_runner import compiled, limit
from node_clients import Client, Server, converse, repeating, request, running

from chain.crypto.hashing import keccak

ROUNDS, SECONDS = 5, 0.6  # of each measurement
LOGS, FEW = 1_200, 20  # blocks with a log each
MANY = 50  # clients
READ_BAR, LATENCY_BAR = 1.3, 0.020
MODULES = Path(__file__).parents[1] / "tests" / "clients" / "node_modules"
T = TypeVar("T", float, tuple[float, float])
# Creates code that jumps back to its start until the gas is used up. It reads the gas, so that most of it is not compiled.
ENDLESS = "0x655b5a506000566000526006601af3"


def main() -> None:
    # Not the one in .bin, which is a script that starts this one as another process.
    anvil = next(map(str, MODULES.glob("@foundry-rs/anvil-*/bin/anvil")), shutil.which("anvil"))
    if anvil is None:
        raise SystemExit("there is no anvil to compare with: run scripts/setup_clients first")
    folders = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(folders)
    boardchain = [sys.executable, "-m", "chain", "node", "--quiet", "--contracts", "bench_counter"]
    with running(boardchain) as ours, running([anvil, "--silent"]) as theirs:
        tables = Table(ours), Table(theirs)
        show_transactions(*tables)
        show_reads(*tables)
        show_latency(*tables)


class Table:
    """A node on which everything has been deployed, and the requests to it."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.ask = asking(http.client.HTTPConnection("127.0.0.1", server.port))
        self.accounts, self.transferred = self.ask("eth_accounts"), 0
        counter = self._create(compiled()[1])
        increment = calldata("increment(uint256)") + f"{1:064x}"
        receipts = [self._send({"to": counter, "data": increment}) for _ in range(LOGS)]
        first, last = (int(receipts[i]["blockNumber"], 16) for i in (0, -1))
        endless = self._create(ENDLESS)
        failed = self._send({"to": endless, "gas": hex(300_000)})["transactionHash"]
        view = {"to": counter, "data": calldata("count()")}
        logs = {"address": counter, "fromBlock": hex(first)}
        few, all_logs = ({**logs, "toBlock": hex(end)} for end in (first + FEW - 1, last))
        view_of_python = self._view_of_python(view)
        repeated = {
            "eth_blockNumber": request("eth_blockNumber"),
            "eth_getBalance": request("eth_getBalance", counter, "latest"),
            "eth_getTransactionReceipt": request(
                "eth_getTransactionReceipt", receipts[0]["transactionHash"]
            ),
            f"eth_getLogs, {FEW} logs": request("eth_getLogs", few),
            f"eth_getLogs, {LOGS} logs": request("eth_getLogs", all_logs),
            "eth_call of bytecode": request("eth_call", view, "latest"),
            "eth_call of Python": request("eth_call", view_of_python, "latest"),
        }
        self.reads: dict[str, Callable[[], Client]] = {
            **{name: partial(repeating, sent) for name, sent in repeated.items()},
            "distinct calls of bytecode": partial(distinct, view, count()),
            "distinct calls of Python": partial(distinct, view_of_python, count()),
        }
        self.long = [
            request("eth_getLogs", all_logs),
            request("debug_traceTransaction", failed),
            request("eth_call", {"to": endless, "gas": hex(3_000_000)}, "latest"),
        ]

    def transfers(self, number: int) -> Client:
        """Send wei and ask for the receipt, again and again."""
        sender, receiver = (self.accounts[(number + i) % 10] for i in (0, 1))
        sent = request("eth_sendTransaction", {"from": sender, "to": receiver, "value": "0x1"})
        while True:
            made = json.loads((yield sent)).get("result")
            if made is None:  # of anvil: another client took the nonce
                continue
            read = request("eth_getTransactionReceipt", made)
            while b'"result":null' in (yield read):  # anvil mines it a moment later
                pass
            self.transferred += 1

    def _view_of_python(self, other: dict[str, str]) -> dict[str, str]:
        """Return the call of a view of a Python contract; of a node without these the `other` one."""
        if "chain" not in self.ask("web3_clientVersion").lower():
            return other
        program = next(each for each in self.ask("chain_programs") if each["name"] == "Counter")
        return {"to": self._create(program["bytecode"]), "data": calldata("total()")}

    def _create(self, code: str) -> str:
        return str(self._send({"data": code})["contractAddress"])

    def _send(self, fields: dict[str, str]) -> dict[str, Any]:
        made = self.ask("eth_sendTransaction", {"from": self.accounts[0], **fields})
        while (receipt := self.ask("eth_getTransactionReceipt", made)) is None:
            pass
        return dict(receipt)


Crowd: TypeAlias = Callable[[Table], tuple[list[Client], list[Client]]]


def calldata(signature: str) -> str:
    return f"0x{keccak(signature.encode())[:4].hex()}"


def asking(connection: http.client.HTTPConnection) -> Callable[..., Any]:
    """Return a function that asks a node for the result of a method."""
    headers = {"content-type": "application/json"}

    def ask(method: str, *params: Any) -> Any:
        asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        connection.request("POST", "/", json.dumps(asked), headers)
        return json.loads(connection.getresponse().read())["result"]

    return ask


def distinct(fields: dict[str, str], numbers: Iterator[int]) -> Client:
    """Call with other calldata each time, so that no node can have kept the result."""
    while True:
        data = f"{fields['data']}{next(numbers):064x}"
        yield request("eth_call", {**fields, "data": data}, "latest")


def best(ours: Table, theirs: Table, measure: Callable[[Table], T]) -> tuple[T, T]:
    """Return the least of several rounds of each."""
    rounds = [(measure(ours), measure(theirs)) for _ in range(ROUNDS)]
    own, others = (min(each) for each in zip(*rounds, strict=True))
    return own, others


def show_transactions(ours: Table, theirs: Table) -> None:
    def measure(table: Table) -> float:
        before = table.transferred
        (took,) = converse(table.server.port, [table.transfers(0)], SECONDS)
        return sum(took) / (table.transferred - before)

    own, others = best(ours, theirs, measure)
    bar = limit(own <= others, "1.0")
    print(
        f"  transactions with their receipts: {1 / own:,.0f}/s, anvil {1 / others:,.0f}/s, {others / own:.2f}x{bar}"
    )


def show_reads(ours: Table, theirs: Table) -> None:
    """Show the processor time of the server for each request."""

    def measure(name: str, clients: int, table: Table) -> float:
        start = table.server.processor_seconds()
        talks = [table.reads[name]() for _ in range(clients)]
        took = converse(table.server.port, talks, SECONDS)
        return (table.server.processor_seconds() - start) / sum(map(len, took))

    for name in ours.reads:
        for clients in (1, MANY):
            own, others = best(ours, theirs, partial(measure, name, clients))
            bar = limit(own <= READ_BAR * others, f"{READ_BAR}x")
            times = f"{own * 1e6:7,.0f} us, anvil {others * 1e6:7,.0f} us"
            print(f"  {name:26}{clients:3} clients: {times} {own / others:5.2f}x{bar}")


def show_latency(ours: Table, theirs: Table) -> None:
    """Show how long fifty clients wait for their answers, also while another one asks for much."""
    for name, clients_of in CROWDS.items():
        (own, own_half), (others, others_half) = best(ours, theirs, partial(waiting, clients_of))
        bar = limit(own <= LATENCY_BAR, f"{LATENCY_BAR * 1e3:.0f} ms")
        print(
            f"  {name:34}{MANY} clients: p50 {own_half * 1e3:6.1f} ms, p99 {own * 1e3:6.1f} ms{bar},"
            f" anvil {others_half * 1e3:.1f} and {others * 1e3:.1f} ms"
        )


def reading(name: str, *long: int) -> Crowd:
    """Return the clients that read, and those that ask for much at the same time."""
    return lambda table: (
        [table.reads[name]() for _ in range(MANY)],
        [repeating(table.long[i]) for i in long],
    )


def waiting(clients_of: Crowd, table: Table) -> tuple[float, float]:
    """Return the seconds within which 99 % of the requests of the clients are answered, and half of them."""
    clients, others = clients_of(table)
    took = converse(table.server.port, [*clients, *others], SECONDS)[: len(clients)]
    times = quantiles(chain.from_iterable(took), n=100)
    return times[98], times[49]


CROWDS: dict[str, Crowd] = {
    "transfers and receipts": lambda table: ([*map(table.transfers, range(MANY))], []),
    "eth_blockNumber": reading("eth_blockNumber"),
    "distinct calls of bytecode": reading("distinct calls of bytecode"),
    "distinct calls of Python": reading("distinct calls of Python"),
    "eth_blockNumber, others get logs": reading("eth_blockNumber", 0),
    "eth_blockNumber, others trace": reading("eth_blockNumber", 1),
    "eth_blockNumber, others call long": reading("eth_blockNumber", 2),
}


if __name__ == "__main__":
    main()
