"""The cost of a chain in a file compared with one in memory, the tables for other programs included, and of opening it."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from bench_counter import Added, Counter, counting
from bench_runner import limit

from chain import Chain
from chain.ledger.file.store import ChainStore

ROUNDS, CALLS = 6, 3_000
BARS = {1: 8, 100: 3}  # by calls a block


def show() -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "bench.chain")
        with Chain.open(path, contracts=[Counter]) as chain:
            beside_memory(chain)
            count = len(chain.receipts)
        start = time.process_time()
        with Chain.open(path, contracts=[Counter]) as chain:
            opened = time.process_time()
            events = chain.events(Added).count()
            asked = time.process_time()
        size = path.stat().st_size / count
    print(
        f"  {count:,} receipts of {size:.0f} bytes: opened in {(opened - start) * 1e3:.0f} ms,"
        f" and {events:,} events found in {(asked - opened) * 1e3:.0f} ms"
    )


def beside_memory(in_file: Chain) -> None:
    in_memory = Chain()
    runs = {chain: counting(chain) for chain in (in_memory, in_file)}
    for size, bar in BARS.items():
        best = dict.fromkeys(runs, float("inf"))
        for _ in range(ROUNDS):
            for chain, run in runs.items():
                best[chain] = min(best[chain], seconds(partial(play, chain, run, size)) / CALLS)
        ratio = best[in_file] / best[in_memory]
        print(
            f"  a call in a file, {size} a block: {best[in_file] * 1e6:.0f} us,"
            f" {ratio:.1f}x that in memory{limit(ratio <= bar, f'{bar}x')}"
        )


def play(chain: Chain, run: Callable[[int], None], size: int) -> None:
    """Make the calls in blocks of this size, and write the derived rows."""
    for _ in range(CALLS // size):
        if size == 1:
            run(1)
        else:
            with chain.block():
                run(size)
    if isinstance(chain.driver.observer, ChainStore):
        chain.driver.observer.publish()


def seconds(act: Callable[[], object]) -> float:
    start = time.process_time()
    act()
    return time.process_time() - start


if __name__ == "__main__":
    show()
