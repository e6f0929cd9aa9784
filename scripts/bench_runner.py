"""Measuring benchmarks: in turns, by processor time, the best round of each, compared with a bytecode counter on eth-tester."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import vyper
from eth_tester import EthereumTester, PyEVMBackend
from web3 import EthereumTesterProvider, Web3

BenchmarkParts: TypeAlias = tuple[str, Callable[[int], None], int, float]

ROUNDS = 5
SOURCE = """
count: public(uint256)

event Added:
    who: indexed(address)
    by: uint256
    total: uint256

@external
def increment(by: uint256):
    self.count += by
    log Added(who=msg.sender, by=by, total=self.count)
"""


class Benchmark(NamedTuple):
    """A way to make calls: `run(n)` makes n of them; the bar is a multiple of the baseline."""

    name: str
    run: Callable[[int], None]
    calls: int  # a round
    bar: float


def measure(benchmarks: list[Benchmark]) -> dict[str, tuple[float, float]]:
    """Calls a second for each benchmark, its best round; the benchmarks take turns so that all see the same machine."""
    best = dict.fromkeys([benchmark.name for benchmark in benchmarks], 0.0)
    for _ in range(ROUNDS):
        for benchmark in benchmarks:
            best[benchmark.name] = max(
                best[benchmark.name],
                benchmark.calls / timed(partial(benchmark.run, benchmark.calls)),
            )
    return {benchmark.name: (best[benchmark.name], benchmark.bar) for benchmark in benchmarks}


def timed(run: Callable[[], Any]) -> float:
    gc.collect()
    start = time.process_time()
    run()
    return time.process_time() - start


def compiled() -> tuple[list[dict[str, Any]], str]:
    output = vyper.compile_code(SOURCE, output_formats=["abi", "bytecode"])
    return output["abi"], output["bytecode"]


def transacting(w3: Web3, sender: str) -> Callable[[int], None]:
    """Calls of the bytecode counter through a web3.py client, which waits for each receipt."""
    abi, code = compiled()
    made = w3.eth.contract(abi=abi, bytecode=code).constructor().transact({"from": sender})
    address = w3.eth.wait_for_transaction_receipt(made)["contractAddress"]
    increment = w3.eth.contract(address=address, abi=abi).functions.increment

    def run(n: int) -> None:
        for _ in range(n):
            sent = increment(1).transact({"from": sender, "gas": 200_000})
            w3.eth.wait_for_transaction_receipt(sent)

    return run


def eth_tester() -> Benchmark:
    w3 = Web3(EthereumTesterProvider(EthereumTester(PyEVMBackend())))
    return Benchmark("eth-tester counter", transacting(w3, w3.eth.accounts[0]), 60, 0)


def limit(met: bool, bar: str) -> str:
    return f" (bar {bar}: {'met' if met else 'MISSED'})"


def compare(benchmarks: Sequence[BenchmarkParts]) -> dict[str, tuple[float, float]]:
    """Measure the benchmarks of one game and the baseline, and show which bars are met."""
    rates = measure([eth_tester(), *(Benchmark(*benchmark) for benchmark in benchmarks)])
    base = rates["eth-tester counter"][0]
    for name, (rate, bar) in rates.items():
        met = limit(rate / base >= bar, f"{bar:.0f}x") if bar else ""
        print(f"{name}: {rate:,.0f} calls/s, {rate / base:.1f}x{met}")
    return rates
