"""Instrumented statements and the guard's verdict are kept on disk, and made anew where there is any doubt."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from chain.source import disk_cache

ROOT = Path(__file__).parents[3]
LIBRARY = """
from pathlib import Path
TABLE = (Path(__file__).parent / "table.txt").read_text("utf-8")
"""
RULES = """
from .library import TABLE
STEP = 3
def more(n):
    return sum(n + STEP for _ in range(2)) + len(TABLE)
"""
CONTRACT = """
from chain import Contract, call
from chain.types import u64
from .rules import more

class Counter(Contract):
    count: u64

    @call
    def add(self, n: u64) -> u64:
        self.count += more(n)
        return self.count
"""
# Prints what a call answers and costs, which statements were compiled anew for it, and how many were read for their names.
SCRIPT = """
import chain.metering.module_copies as copies
made, compile_one = [], copies.InstrumentedModule._compiled
def counted(module, node):
    made.append(f"{module.source.name}:{node.lineno}")
    return compile_one(module, node)
copies.InstrumentedModule._compiled = counted
import chain.guard.linter as guard
checked, linter = [], guard.Linter
def linted(*told):
    checked.append(1)
    return linter(*told)
guard.Linter = linted
import chain.source.kept_uses as kept
read, uses_of = [], kept.uses_of
kept.uses_of = lambda node: read.append(1) or uses_of(node)
from game.contract import Counter
from chain import Chain
chain = Chain()
try:
    receipt = chain.deploy(Counter).add(5)
    print(receipt.return_value, receipt.ticks, receipt.gas_used, chain.block_hash().hex())
except Exception as problem:
    print(repr(str(problem)))
print(len(made), len(checked))
print(len(read))
"""
Run = Callable[..., tuple[str, ...]]


@pytest.fixture
def game(tmp_path: Path) -> Path:
    folder = tmp_path / "game"
    folder.mkdir()
    texts = {"__init__": "", "library": LIBRARY, "rules": RULES, "contract": CONTRACT}
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    (folder / "table.txt").write_text("four")
    return folder


@pytest.fixture
def run(game: Path, tmp_path: Path) -> Run:
    def in_new_process(script: str = SCRIPT, **env: str) -> tuple[str, ...]:
        paths = os.pathsep.join((str(ROOT), str(tmp_path), env.pop("PATH_TOO", "")))
        variables = {
            **os.environ, "PYTHONPATH": paths, "XDG_CACHE_HOME": str(tmp_path / "cache"), "BOARDCHAIN_CACHE": "", **env,
        }  # fmt: skip
        told = subprocess.run(
            [sys.executable, "-c", script], env=variables, cwd=tmp_path, capture_output=True, text=True, check=True
        )  # fmt: skip
        return tuple(told.stdout.splitlines())

    return in_new_process


def test_second_process_compiles_nothing_and_answers_the_same(run: Run) -> None:
    first, second = run(), run()
    assert first[0].startswith("20 ") and first[0] == second[0]
    assert (first[1], second[1]) == ("4 1", "0 0")
    assert (int(first[2]) > 0, second[2]) == (True, "0")


@pytest.mark.slow
def test_switched_off_nothing_is_kept(run: Run, tmp_path: Path) -> None:
    assert run(BOARDCHAIN_CACHE="off")[1] == "4 1"
    assert not (tmp_path / "cache").exists()


def test_changed_source_or_data_is_instrumented_again(run: Run, game: Path) -> None:
    run()
    (game / "rules.py").write_text(RULES.replace("STEP = 3", "STEP = 4"))
    assert run()[0].startswith("22 ")
    (game / "table.txt").write_text("fives")
    assert run()[0].startswith("23 ")
    (game / "rules.py").write_text(RULES.replace("STEP = 3", "STEP = 1 / 2"))
    answer, made, _ = run()
    assert "float" in answer and made == "0 1"


@pytest.mark.slow
def test_new_file_under_a_name_that_was_looked_up_is_seen(run: Run, game: Path) -> None:
    answer = run()[0]
    (game / "rules").mkdir()
    (game / "rules" / "more.py").write_text("")
    assert run()[:2] == (answer, "0 1")


@pytest.mark.slow
def test_module_of_another_package_keeps_its_importers_off_the_disk(
    run: Run, game: Path, tmp_path: Path
) -> None:
    """The value of a name from there decides too, and nobody knows on what it depends."""
    elsewhere = tmp_path / "site-packages"
    elsewhere.mkdir()
    (elsewhere / "limits.py").write_text("MOST = 3\n")
    (game / "rules.py").write_text(RULES.replace("STEP = 3", "from limits import MOST as STEP"))
    script = SCRIPT.replace("Chain()", "Chain(guard=False)")
    assert (
        run(script, PATH_TOO=str(elsewhere))[1] == run(script, PATH_TOO=str(elsewhere))[1] == "3 0"
    )


@pytest.mark.slow
def test_copy_that_was_changed_keeps_later_builds_off_the_disk(run: Run, game: Path) -> None:
    two = CONTRACT.replace("Counter(", "Second(").replace("import more", "import more, STEP")
    (game / "second.py").write_text(two.replace("more(n)", "more(n) + STEP"))
    changed = "import game.rules; from chain.testing import instrumented; instrumented(game.rules).STEP = 7"
    second = "from game.second import Second; chain.deploy(Second)"
    plain, planted = (f"{SCRIPT}\n{act}\n{second}\nprint(len(made))" for act in ("", changed))
    assert [run(script)[-1] for script in (plain, plain, planted)] == ["5", "0", "1"]


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
