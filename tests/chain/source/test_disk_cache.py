"""What the analysis of a file computes is kept on disk for the next process, and made again where there is any doubt."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from chain.source import disk_cache

ROOT = Path(__file__).parents[3]
RULES = "STEP = 3\ndef more(n): return sum(n + STEP for _ in range(2))\n"
CONTRACT = """
from chain import Chain, Contract, call
from chain.metering import analysis
from chain.types import u64
from rules import more

class Counter(Contract):
    count: u64

    @call
    def add(self, n: u64) -> u64:
        self.count += more(n)
        return self.count

made, compute = [], analysis._computed
analysis._computed = lambda *args: made.append(1) or compute(*args)
chain = Chain()
try:
    receipt = chain.deploy(Counter).add(5)
    print(receipt.return_value, receipt.ticks, chain.block_hash().hex())
except Exception as problem:
    print(problem)
print(len(made))
"""


def test_next_process_answers_the_same_and_sees_edits(tmp_path: Path) -> None:
    (tmp_path / "play.py").write_text(CONTRACT, "utf-8")
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "BOARDCHAIN_CACHE": ""}

    def played(rules: str) -> tuple[str, str]:
        (tmp_path / "rules.py").write_text(rules, "utf-8")
        told = subprocess.run(
            [sys.executable, "play.py"], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT), **cache},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        *answer, made = told.stdout.splitlines()
        return "\n".join(answer), made

    answer = played(RULES)[0]
    assert answer.startswith("16 4 ")
    assert played(RULES) == (answer, "0")
    assert played(RULES.replace("STEP = 3", "STEP = 4"))[0].startswith("18 4 ")
    assert "float" in played(RULES.replace("n + STEP", "n / STEP"))[0]
    assert played(RULES) == (answer, "0")


# The folder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("BOARDCHAIN_CACHE", "")
    return tmp_path / "boardchain" / "made"


@pytest.mark.parametrize("spoil", [
    lambda raw: raw[: len(raw) // 2], lambda raw: b"", lambda raw: raw[:-1] + bytes((raw[-1] ^ 1,)),
])  # fmt: skip
def test_spoiled_files_count_as_missing(spoil: Callable[[bytes], bytes], folder: Path) -> None:
    disk_cache.save({"a": 1}, "key")
    (file,) = folder.iterdir()
    assert disk_cache.load("key") == {"a": 1}
    file.write_bytes(spoil(file.read_bytes()))
    assert disk_cache.load("key") is None
    disk_cache.save({"a": 2}, "key")
    assert disk_cache.load("key") == {"a": 2}


def test_key_of_another_python_or_of_other_sources_of_ours_is_another(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk_cache.save(1, "key")
    monkeypatch.setattr(disk_cache, "_version", lambda: "another")
    assert disk_cache.load("key") is None


def test_unusable_folder_is_not_an_error(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "boardchain").write_text("a file")
    disk_cache.save(1, "key")
    assert disk_cache.load("key") is None


def test_folder_that_others_may_write_to_is_not_used(folder: Path) -> None:
    disk_cache.save(1, "key")
    folder.chmod(0o777)
    assert disk_cache.load("key") is None


def test_many_files_push_out_the_oldest(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_cache, "_MOST", 4)
    for n in range(6):
        disk_cache.save(n, "key", n)
        for file in folder.iterdir():
            os.utime(file, (file.stat().st_mtime - 9,) * 2)
    assert [disk_cache.load("key", n) for n in range(6)] == [None, None, 2, 3, 4, 5]
