"""Dependence on the hash seed is found, and named by contract, entry and field."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from chain import Chain
from chain.cli.main import cli
from chain.plugins.pytest_plugin import hash_seeds
from chain.replays import record
from chain.replays.outcomes import Divergence, first_divergence, outcomes_of
from chain.replays.subprocess_runs import Failed, SubprocessRun, play_in
from chain.replays.verify import verify
from chain.simulator.catalogue import ContractCatalogue

pytest_plugins = ["pytester"]

# The guard refuses it, and must be off: Python salts the hash of a text.
BAG = """
from chain import Chain, Contract, call, event
from chain.types import u8

BALLS = ("red", "green", "blue", "black", "white", "grey", "pink", "brown")
SALTED = vars(str)["__hash__"]

@event
class Drawn:
    number: u8
    ball: str

class Bag(Contract):
    count: u8
    first: str

    @call
    def fill(self) -> None:
        self.count = 8

    @call
    def keep(self) -> None:
        self.first = max(BALLS, key=SALTED)

    @call
    def tell(self) -> None:
        self.emit(Drawn(1, max(BALLS, key=SALTED)))

    @call
    def wait(self) -> None:
        for ball in sorted(BALLS, key=lambda ball: SALTED(ball) % 7):
            if ball == "red":
                break

    @call
    def ask(self) -> str:
        return max(BALLS, key=SALTED)
"""
# The guard refuses that, too: a number that no storage holds.
SHELF = """
from chain import Contract, call
from chain.types import u8

BOOKS = 0

class Shelf(Contract):
    count: u8

    @call
    def put(self) -> None:
        global BOOKS
        BOOKS += 1
        self.count = BOOKS
"""
FIELDS = [("keep", "Bag.first"), ("tell", "Drawn.ball"), ("ask", "its result")]


@pytest.fixture
def bag(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    name = f"bag_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(BAG, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("BOARDCHAIN_CONTRACTS", name)
    return ContractCatalogue(name).find("Bag")


def play(cls: Any, *entries: str, chain: Chain | None = None) -> Chain:
    chain = chain or Chain(guard=False)
    bag = chain.deploy(cls)
    for entry in entries:
        getattr(bag, entry)()
    return chain


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, [*map(str, words)])


# boardchain verify


def test_first_difference_is_named(bag: Any) -> None:
    verdict = verify(record(play(bag, "fill", "keep", "ask")), [bag.__module__], seeds=(0, 1))
    assert str(verdict) == (
        'Bag.keep in block 3: Bag.first is "pink" under hash seed 0, and "grey" under hash seed 1'
    )
    assert verdict.divergence == Divergence(3, "Bag", "keep", "Bag.first", ('"pink"', '"grey"'))


@pytest.mark.parametrize(("entry", "field"), FIELDS)
def test_field_shows_where_plays_part(bag: Any, entry: str, field: str, monkeypatch: Any) -> None:
    plays = []
    for ball in ("red", "blue"):
        chain = Chain(guard=False)
        deployed = chain.deploy(bag)
        with monkeypatch.context() as patch:
            patch.setattr(sys.modules[bag.__module__], "BALLS", (ball,))
            for each in ("fill", entry, "keep"):
                getattr(deployed, each)()
        plays.append(outcomes_of(chain))
    assert first_divergence(*plays) == Divergence(3, "Bag", entry, field, ('"red"', '"blue"'))


def test_command_plays_a_file_of_a_chain(bag: Any, tmp_path: Path) -> None:
    with Chain.open(tmp_path / "bag.chain", guard=False) as chain:
        play(bag, "fill", chain=chain)
    done = run("verify", "bag.chain")
    assert (done.exit_code, done.stdout) == (
        0, "bag.chain: 3 blocks are the same under 5 hash seeds, with the contracts loaded again halfway\n",
    )  # fmt: skip


def test_command_fails_where_runs_part(bag: Any, tmp_path: Path) -> None:
    (tmp_path / "bag.jsonl").write_bytes(record(play(bag, "keep")).encode())
    done = run("verify", "bag.jsonl", "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["divergence"]["field"] == "Bag.first"


def test_written_outcome_counts_too(bag: Any) -> None:
    text = re.sub('("entry":"fill".*)(?="gas_used")', r'\1"result":1,', record(play(bag, "fill")))
    verdict = verify(text, [bag.__module__], seeds=(0, 1))
    assert (verdict.ok, verdict.diverging_seeds) == (False, None)
    assert "the same result 2 times, but not the recorded one: line 4:" in str(verdict)


def test_memory_outside_of_storage_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shelf_of.py").write_text(SHELF, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    chain = Chain(guard=False)
    shelf = chain.deploy(ContractCatalogue("shelf_of").find("Shelf"))
    for _ in range(4):
        shelf.put()
    with pytest.raises(ValueError, match="Shelf does not run as it was deployed: shelf_of:BOOKS"):
        record(chain)
    monkeypatch.setattr(sys.modules["shelf_of"], "BOOKS", 0)
    verdict = verify(record(chain), ["shelf_of"], seeds=(0,))
    assert str(verdict) == (
        "Shelf.put in block 3: Shelf.count is 2 under hash seed 0, and nothing with the contracts loaded again halfway"
    )


def test_ticks_are_compared(bag: Any) -> None:
    chain = play(bag, "fill", "wait")
    verdict = verify(record(chain), [bag.__module__], seeds=(0, 1))
    assert verdict.divergence is not None
    assert (verdict.divergence.entry, verdict.divergence.field) == ("wait", "its ticks")


def test_unplayable_transcript_is_explained(bag: Any, tmp_path: Path) -> None:
    with pytest.raises(Failed, match="hash seed 0 it cannot be played: "):
        play_in([SubprocessRun()], "hello", [])
    (tmp_path / "bad.jsonl").write_text("hello")
    assert run("verify", "bad.jsonl").exit_code == 2


def test_missing_values_are_nothing(bag: Any) -> None:
    one, other = outcomes_of(play(bag, "fill")), outcomes_of(play(bag, "ask"))
    assert first_divergence(one, one) is None
    assert first_divergence(one, other) == Divergence(
        2, "Bag", "fill", "Bag.count", ("8", "nothing")
    )
    assert first_divergence(one, one[:1]) == Divergence(2, "Bag", "fill", "the number of transactions", ("2", "1"))  # fmt: skip


# pytest --double-run


TESTS = """
import pytest
from hypothesis import given, settings, strategies as st
from test_bag import Bag, Chain

@pytest.fixture(scope="module")
def wide():
    return Chain(guard=False).deploy(Bag)

def test_tell(wide):
    wide.fill()
    wide.tell()

def test_fill(wide, chain):
    wide.fill()
    assert len(chain.receipts) == 0

def test_anchored():
    Chain(guard=False).deploy(Bag).fill()

@settings(max_examples=2)
@given(st.integers(0, 10**9))
def test_drawn(number):
    Chain(guard=False, seed=number).deploy(Bag)
"""


OPTIONS = (
    *("-p", "no:boardchain", "-p", "chain.plugins.pytest_plugin", "-p", "no:cacheprovider"),
    *("--assert=plain", "--double-run"),
)


@pytest.fixture
def tests(pytester: pytest.Pytester, alone: None) -> pytest.Pytester:
    pytester.makepyfile(test_bag=BAG, test_play=TESTS)
    return pytester


def test_other_runs_are_compared(tests: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hash_seeds, "SEEDS", (0, 1))
    done = tests.runpytest_inprocess(*OPTIONS, "-k", "fill or anchored or drawn")
    assert done.ret == 0
    done.stdout.fnmatch_lines(["double run: 2 tests left the same chains under 2 hash seeds"])


def test_parting_test_is_named(tests: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", "1")
    done = tests.runpytest_subprocess(*OPTIONS, "test_play.py", "-k", "tell or anchored")
    assert done.ret == 1
    told = [line for line in done.outlines if line.startswith("double run:")]
    assert told == [
        'double run: test_play.py::test_tell: Bag.tell in block 3: Drawn.ball is "pink" under hash seed 0,'
        ' and "grey" under hash seed 1'
    ]


def test_failed_start_compares_nothing(tests: Any) -> None:
    done = tests.runpytest_inprocess(*OPTIONS, "no_such_folder")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stdout.no_fnmatch_line("*left the same chains*")
