"""The cost of a thousand tests of ten calls, beyond pytest's own time for a thousand tests."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

from bench_runner import limit
from bench_start import HERE, processor_time

BAR = 0.4  # seconds
EMPTY = """
import pytest

@pytest.mark.parametrize("n", range(1000))
def test_nothing(n):
    pass
"""
CALLS = """
import pytest
from bench_counter import Counter
from chain import Chain

@pytest.mark.parametrize("n", range(1000))
def test_ten_calls(n):
    chain = Chain()
    counter = chain.deploy(Counter)
    for _ in range(10):
        counter.increment(n)
    assert chain.storage(counter, 0) == 10 * n
"""
RUN = "import pytest; assert pytest.main(['-q', '-p', 'no:cacheprovider', {!r}]) == 0"


def show() -> None:
    with TemporaryDirectory() as folder:
        path = f"{HERE.parent}{os.pathsep}{HERE}"
        env = {**os.environ, "PYTHONPATH": path, "PYTHONPYCACHEPREFIX": str(Path(folder, "cache"))}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        best: dict[str, float] = {}
        for _ in range(3):
            for name, text in (("empty", EMPTY), ("calls", CALLS)):
                file = Path(folder, f"test_{name}.py")
                file.write_text(text, "utf-8")
                took = processor_time(RUN.format(str(file)), env)
                best[name] = min(took, best.get(name, took))
    more = best["calls"] - best["empty"]
    print(
        f"  a thousand tests of ten calls: {best['calls']:.2f} s, {more:.2f} s beyond those of empty ones"
        f"{limit(more <= BAR, f'{BAR} s')}"
    )


if __name__ == "__main__":
    show()
