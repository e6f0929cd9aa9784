"""The cost of a call on a long chain, in a process that does nothing else, with the collector on."""

from __future__ import annotations

import subprocess
import sys
import time
from statistics import median

from bench_counter import counting

from chain import Chain

STRETCH, STRETCHES = 10_000, 42
FEW = 5  # stretches at each end
BAR = 1.05


def show() -> None:
    subprocess.run([sys.executable, __file__], check=True)


def main() -> None:
    run, costs = counting(Chain()), []
    for _ in range(STRETCHES):
        start = time.process_time()
        run(STRETCH)
        costs.append((time.process_time() - start) / STRETCH)
    young, old = median(costs[:FEW]), median(costs[-FEW:])
    verdict = "met" if old <= BAR * young else "MISSED"
    print(
        f"  a call at {STRETCH * STRETCHES:,} receipts: {old * 1e6:.1f} us, {old / young:.2f}x that of the first"
        f" {FEW * STRETCH:,} (bar {BAR}x: {verdict})"
    )


if __name__ == "__main__":
    main()
