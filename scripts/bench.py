"""Measure the speed of Boardchain, and show which bars are met: `scripts/bench.py [SECTION …]`, by default all but `node` and
`forge`.

Machines differ and are shared, so what counts are ratios: what is compared runs in turn, for several rounds, by processor time,
and the best round of each is taken. The baseline of the calls is a counter in bytecode on eth-tester's PyEVM backend, through
web3.py with coincurve, gas given so that nothing is estimated. It asks for the receipt of each call, which calls here return.
"""

from __future__ import annotations

import platform
import sys
import sysconfig
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import bench_blokus
import bench_deblockle
import bench_explorer
import bench_files
import bench_forge
import bench_fuel
import bench_growth
import bench_mage_duel
import bench_node
import bench_sagrada
import bench_start
import bench_tests
from bench_counter import Added, Counter, counting
from bench_runner import (
    Benchmark,
    compiled,
    eth_tester,
    limit,
    measure,
    timed,
    transacting,
)

from chain import Chain
from chain.abi.json_abi import functions_from_json

GAMES = (bench_deblockle, bench_blokus, bench_mage_duel, bench_sagrada)


def main() -> None:
    warnings.simplefilter("ignore")
    unknown = sys.argv[1:] - SECTIONS.keys()
    if unknown:
        sys.exit(f"no section {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    print(f"{python_build()}, processor time")
    for name in sys.argv[1:] or [name for name in SECTIONS if SECTIONS[name] not in WITH_CLIENTS]:
        start = time.monotonic()
        print(f"\n{name}: {SECTIONS[name].__doc__}")
        SECTIONS[name]()
        print(f"  ({time.monotonic() - start:.0f} s)")


def python_build() -> str:
    """Return the name of this Python and how it was built, which makes a difference of a sixth."""
    options = sysconfig.get_config_var("CONFIG_ARGS") or ""
    is_optimized = "--enable-optimizations" in options or "-fprofile-use" in (
        sysconfig.get_config_var("PY_CORE_CFLAGS") or ""
    )
    library = ", as a shared library" if sysconfig.get_config_var("Py_ENABLE_SHARED") else ""
    kind = "with" if is_optimized else "without"
    return (
        f"{platform.python_implementation()} {platform.python_version()}, built {kind} PGO{library}"
    )


# Sections


def calls() -> None:
    """calls per second, compared with eth-tester's counter and with the bare rules of a game"""
    games = [[Benchmark(*parts) for parts in game.benchmarks()] for game in GAMES]
    counters = [eth_tester(), in_process(), bytecode(), web3()]
    rates = measure([*counters, *(benchmark for pair in games for benchmark in pair)])
    base = rates["eth-tester counter"][0]
    bare = {made.name: rates[rules.name][0] for made, rules in games}
    for name, (rate, bar) in rates.items():
        beside = f"{bare[name] / rate:8.1f}x its rules" if name in bare else ""
        print(f"  {name:30}{rate:10,.0f}{rate / base:9.1f}x{verdict(rate / base, bar):14}{beside}")


def asked() -> None:
    """a counter whose hashes are requested after each call"""
    rates = measure([eth_tester(), hashing(False), hashing(True)])
    base = rates["eth-tester counter"][0]
    for name, (rate, bar) in rates.items():
        print(f"  {name:30}{rate:10,.0f}{rate / base:9.1f}x{verdict(rate / base, bar)}")


def growth() -> None:
    """a chain that grows in a process of its own, with the collector on"""
    bench_growth.show()


def queries() -> None:
    """queries on a chain of 200 000 receipts"""
    chain = Chain()
    run = counting(chain)
    run(200_000)
    rare = chain.account("rare")
    counter = chain.handle(Counter, chain.receipts[0].address)
    for _ in range(100):
        counter.increment(1, sender=rare)
    entered, counted = (
        timed(lambda: chain.events(Added, who=rare).count()) * 1000 for _ in range(2)
    )
    found = timed(lambda: list(chain.events(Added, who=rare))) * 1000
    times = f"counted in {counted:.3f} ms, the first time in {entered:.0f} ms"
    print(f"  100 events of one player: {found:.2f} ms{limit(found < 2, '2 ms')}, {times}")
    get = partial(logs, chain.web3.provider.make_request)
    first = timed(lambda: get(20_000)) / 20_000
    few, many = timed(lambda: get(2_000)) / 2_000, timed(lambda: get(20_000)) / 20_000
    print(
        f"  eth_getLogs: {few * 1e6:.0f} us a log for 2 000, {many * 1e6:.0f} us for 20 000,"
        f" {first * 1e6:.0f} us the first time, hashes included"
    )


def files() -> None:
    """a chain in a file, tables for other programs included"""
    bench_files.show()


def explorer() -> None:
    """the explorer of a chain in a file, and a node with an open page"""
    bench_explorer.show()


def start() -> None:
    """from the start of a process to its first call, with the cache of an earlier process"""
    bench_start.show()
    made = timed(lambda: [Chain() for _ in range(1_000)])
    print(f"  Chain(): {made:.3f} ms{limit(made < 1, '1 ms')}")


def tests() -> None:
    """a thousand tests with pytest"""
    bench_tests.show()


def games() -> None:
    """each game: the move alone, with the legal moves listed, and its other bars"""
    for game in GAMES:
        game.show_bars()


def fuel() -> None:
    """the cost of counting the work of contracts"""
    bench_fuel.show_bars()


def node() -> None:
    """the node compared with anvil"""
    bench_node.main()


def forge() -> None:
    """the same contracts in Solidity, run and fuzzed by Foundry's forge"""
    bench_forge.show()


WITH_CLIENTS = (node, forge)  # compared with programs that scripts/setup_clients installs
SECTIONS: dict[str, Callable[[], None]] = {
    section.__name__: section
    for section in (
        calls,
        asked,
        growth,
        queries,
        files,
        explorer,
        start,
        tests,
        games,
        fuel,
        *WITH_CLIENTS,
    )
}


# What is measured


def verdict(ratio: float, bar: float) -> str:
    return f"{bar:6.0f}x {'met' if ratio >= bar else 'MISSED'}" if bar else ""


def web3() -> Benchmark:
    w3 = Chain().web3
    return Benchmark("bytecode counter, chain.web3", transacting(w3, w3.eth.accounts[0]), 200, 4)


def in_process() -> Benchmark:
    return Benchmark("counter, in process", counting(Chain()), 5_000, 480)


def hashing(of_blocks: bool) -> Benchmark:
    chain = Chain()
    increment, alice = chain.deploy(Counter).increment, chain.accounts[0]

    def run(n: int) -> None:
        for _ in range(n):
            assert increment(1, sender=alice).tx_hash
            if of_blocks:
                assert chain.block_hash()

    if of_blocks:
        return Benchmark("and with block hash", run, 500, 60)
    return Benchmark("counter, with transaction hash", run, 1_000, 0)


def bytecode() -> Benchmark:
    chain = Chain()
    abi, code = compiled()
    address = chain.send(None, bytes.fromhex(code[2:])).address
    data = functions_from_json(abi)["increment"].encode_args((1,), {})

    def run(n: int) -> None:
        for _ in range(n):
            chain.send(address, data)

    return Benchmark("bytecode counter, in process", run, 500, 20)


def logs(ask: Callable[[str, list[Any]], Any], last: int) -> None:
    """eth_getLogs of the first blocks, which have a log each."""
    ask("eth_getLogs", [{"fromBlock": "0x1", "toBlock": hex(last)}])


if __name__ == "__main__":
    main()
