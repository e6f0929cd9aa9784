"""Measure Boardchain beside eth-tester, in one run, and show which bars are met.

Machines differ and are shared, so what counts are ratios: every benchmark runs in turn, for several rounds, by processor
time, and its best round is taken. The baseline is a counter in bytecode on eth-tester's PyEVM backend, through web3.py with
coincurve, gas given so that nothing is estimated. With `--node` it measures the node beside anvil instead.
"""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import bench_blokus
import bench_deblockle
import bench_fuel
import bench_mage_duel
import bench_node
import bench_sagrada
from bench_runner import ROUNDS, Benchmark, compiled, eth_tester, limit, measure, timed, transacting

from chain import Address, Chain, Contract, Key, call, event
from chain.abi.json_abi import functions_from_json
from chain.types import u256


@event
class Added:
    who: Key[Address]
    by: u256
    total: u256


class Counter(Contract):
    """The smallest contract worth a receipt: one word and one event a call."""

    count: u256

    @call
    def increment(self, by: u256) -> None:
        self.count += by
        self.emit(Added(self.caller, by, self.count))


GAMES = (bench_deblockle, bench_blokus, bench_mage_duel, bench_sagrada)


def main() -> None:
    warnings.simplefilter("ignore")
    print(f"Python {sys.version.split()[0]}, best of {ROUNDS} rounds, processor time\n")
    games = [Benchmark(*parts) for game in GAMES for parts in game.benchmarks()]
    rates = measure([eth_tester(), counter(), bytecode(), web3(), *games])
    base = rates["eth-tester counter"][0]
    print(f"{'benchmark':34}{'calls/s':>10}{'ratio':>9}{'bar':>7}")
    for name, (rate, bar) in rates.items():
        print(f"{name:34}{rate:10,.0f}{rate / base:8.1f}x{verdict(rate / base >= bar, bar)}")
    growth()
    start_up()
    for game in (*GAMES, bench_fuel):
        game.show_bars()


def verdict(met: bool, bar: float) -> str:
    return f"{bar:6.0f}x  {'met' if met else 'MISSED'}" if bar else ""


def web3() -> Benchmark:
    w3 = Chain().web3
    return Benchmark("bytecode counter, chain.web3", transacting(w3, w3.eth.accounts[0]), 200, 3)


def counter() -> Benchmark:
    chain = Chain()
    increment, alice = chain.deploy(Counter).increment, chain.accounts[0]

    def run(n: int) -> None:
        for _ in range(n):
            increment(1, sender=alice)

    return Benchmark("counter, in process", run, 5_000, 200)


def bytecode() -> Benchmark:
    chain = Chain()
    abi, code = compiled()
    address = chain.send(None, bytes.fromhex(code[2:])).address
    data = functions_from_json(abi)["increment"].encode_args((1,), {})

    def run(n: int) -> None:
        for _ in range(n):
            chain.send(address, data)

    return Benchmark("bytecode counter, in process", run, 500, 20)


def growth() -> None:
    """Show whether calls and queries stay as fast when the chain is long. A short and a long chain take turns."""
    short, long = counting(1_000), counting(200_000)
    rare = long.chain.account("rare")
    for _ in range(100):
        long.increment(1, sender=rare)
    costs = [
        (timed(partial(short.calls, 1_000)), timed(partial(long.calls, 1_000))) for _ in range(10)
    ]
    early, late = (min(times) for times in zip(*costs, strict=True))
    print(
        f"\ncost of a call at 200 000 receipts: {late / early:.2f}x that at 1 000{limit(late / early <= 1.2, '1.2x')}"
    )
    counted = timed(lambda: long.chain.events(Added, who=rare).count()) * 1000
    asked = timed(lambda: list(long.chain.events(Added, who=rare))) * 1000
    print(
        f"one player's 100 events among 200 000: {asked:.2f} ms{limit(asked < 2, '2 ms')}, counted in {counted:.3f} ms"
    )
    logs(long.chain)


class Counting(NamedTuple):
    """A chain with a counter on it."""

    chain: Chain
    increment: Any

    def calls(self, n: int) -> None:
        for i in range(n):
            self.increment(1, sender=self.chain.accounts[i % 10])


def counting(receipts: int) -> Counting:
    chain = Chain()
    made = Counting(chain, chain.deploy(Counter).increment)
    made.calls(receipts)
    return made


def logs(chain: Chain) -> None:
    """eth_getLogs over the whole chain, by the number of logs it returns."""
    ask = chain.web3.provider.make_request

    def get(last: int) -> Callable[[], Any]:
        return lambda: ask("eth_getLogs", [{"fromBlock": "0x1", "toBlock": hex(last)}])

    get(100)()
    few, many = timed(get(2_000)) / 2_000, timed(get(20_000)) / 20_000
    print(f"eth_getLogs: {few * 1e6:.0f} us a log for 2 000, {many * 1e6:.0f} us for 20 000")


def start_up() -> None:
    """Show what it costs to start."""
    code = (
        "import time; t = time.perf_counter(); import chain, sys; chain.Chain(); t = time.perf_counter() - t;"
        "print(t * 1000, *({'eth', 'web3', 'eth_tester'} & set(sys.modules)))"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(5)
    ]
    imports = [run.stdout.split() for run in runs]
    quickest = min(float(line[0]) for line in imports)
    engines = imports[0][1:] or "none"
    print(
        f"import chain and make one: {quickest:.0f} ms{limit(quickest < 120, '120 ms')}, engines loaded: {engines}"
    )
    made = timed(lambda: [Chain() for _ in range(1_000)])
    print(f"Chain(): {made:.3f} ms{limit(made < 1, '1 ms')}")


if __name__ == "__main__":
    bench_node.main() if "--node" in sys.argv else main()
