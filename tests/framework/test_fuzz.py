"""Fuzzing: values of every kind, planted bugs found and made short, tests that fail alone, what a run reports."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from chain import Address, Chain, Contract, Map, Revert, abi, call, init, require, reverts, view
from chain.cli.main import cli
from chain.fuzz import Fuzz, NoHypothesis, by, invariant, proposes
from chain.fuzz.finding import Finding
from chain.fuzz.shorten import simpler
from chain.fuzz.strategies import Hints, values
from chain.fuzz.targets import descriptions
from chain.kinds import Member, Record
from chain.types import u8, u64

ROOT = Path(__file__).parents[2]

LOCK = """
from chain import Contract, Map, call, require, view
from chain.fuzz import Fuzz, invariant
from chain.types import u8


class Lock(Contract):
    turned: u8
    is_oiled: bool
    is_pulled: bool
    notes: Map[u8, u8]
    is_open: bool

    @call
    def oil(self, drops: u8) -> None:
        require(drops == 3, "that will not do")
        self.is_oiled = True

    @call
    def turn(self, dial: u8) -> None:
        require(self.is_oiled and dial < 10, "it is stuck")
        self.turned = dial

    @call
    def pull(self, strength: u8) -> None:
        require(self.turned == 7, "it does not move")
        self.is_pulled = strength == 2

    @call
    def push(self) -> None:
        require(self.is_pulled, "it is shut")
        self.is_open = True

    @call
    def note(self, page: u8, text: u8) -> None:
        self.notes[page] = text

    @call
    def wipe(self) -> None:
        self.is_oiled = False

    @view
    def read(self, page: u8) -> u8:
        return self.notes[page]


class LockFuzz(Fuzz):
    contracts = (Lock,)

    @invariant
    def it_stays_shut(self):
        assert not self.handle.fields.is_open, "it is open"
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """Writes a module, which can then be imported; it is forgotten after the test."""
    known = set(sys.modules)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)

    def write(name: str, text: str) -> str:
        (tmp_path / f"{name}.py").write_text(text)
        return name

    yield write
    for name in set(sys.modules) - known:
        if getattr(sys.modules[name], "__file__", "") == str(tmp_path / f"{name}.py"):
            del sys.modules[name]


def fuzz(*words: str) -> Result:
    return CliRunner().invoke(cli, ["fuzz", *words])


def run_alone(test: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test.name]
    paths = f"{ROOT}:{test.parent}"
    return subprocess.run(
        words, cwd=test.parent, env={"PYTHONPATH": paths}, capture_output=True, text=True
    )


# A planted bug


def test_bug_of_four_moves_is_found(module: Callable[..., str], tmp_path: Path) -> None:
    found = tmp_path / "test_found.py"
    result = fuzz(module("lock_four", LOCK), "--write", str(found))
    shown = result.output
    assert result.exit_code == 1
    assert "invariant it_stays_shut does not hold: it is open" in shown
    assert "It takes 4 steps" in shown
    assert found.read_text() in shown
    calls = [
        line.strip() for line in found.read_text().splitlines() if line.startswith("    lock.")
    ]
    assert calls == [
        "lock.oil(3, sender=alice)",
        "lock.turn(7, sender=alice)",
        "lock.pull(2, sender=alice)",
        "lock.push(sender=alice)",
    ]
    alone = run_alone(found)
    assert "test_it_stays_shut - AssertionError: it is open" in alone.stdout
    assert "1 failed" in alone.stdout
    module("lock_four", LOCK.replace("self.is_open = True", "pass"))
    assert "1 passed" in run_alone(found).stdout


def test_same_seed_same_run() -> None:
    entries = ("make", "take", "greet")
    fuzz = only(*entries, contract=Shop, is_finding=lambda self, failure: False)
    reports = [str(fuzz.run(20, seed=seed)) for seed in (1, 1, 2)]
    assert reports[0] == reports[1] != reports[2]


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_run_is_same_in_every_process(
    hash_seed: str, module: Callable[..., str], tmp_path: Path
) -> None:
    name = module("lock_again", LOCK)
    code = f"import {name}; print({name}.LockFuzz.run(30))"
    shown = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout == f"{imported(name).LockFuzz.run(30)}\n"


def imported(name: str) -> ModuleType:
    __import__(name)
    return sys.modules[name]


# What counts as a problem


class Till(Contract):
    coins: u8
    since: u64
    owner: Address | None

    @call
    def divide(self, by_: u8) -> u8:
        return 100 // by_

    @call
    def refuse(self) -> None:
        raise Revert("never")

    @view
    def doubled(self, number: u8) -> u8:
        return number * 2


def only(*entries: str, contract: type[Contract] = Till, **more: Any) -> type[Fuzz]:
    """A description in which only these entries are called."""
    rest = tuple(name for name in contract.__spec__.entries if name not in entries)
    return type("OnlyFuzz", (Fuzz,), {"contracts": (contract,), "leaves_out": rest, **more})


def test_exception_in_contract_is_found() -> None:
    with pytest.raises(Finding, match=r"Till.divide fails .* ZeroDivisionError") as found:
        only("divide").run(50)
    assert [step.args for step in found.value.steps] == [(0,)]


def test_result_too_wide_is_found() -> None:
    with pytest.raises(Finding, match=r"doubled.result = 256 does not fit u8") as found:
        only("doubled").run(50)
    assert "till.doubled(128, sender=alice)" in found.value.test


def test_refusals_are_no_findings() -> None:
    report = only("refuse").run(10)
    assert report.tallies["Till.refuse"].calls > 10
    assert report.unreached == ["Till.refuse"]
    assert len(report.reached) == 1


def test_description_may_count_refusals() -> None:
    with pytest.raises(Finding, match="never"):
        only("refuse", is_finding=lambda self, failure: failure.kind == "revert").run(10)


def test_invariant_must_return_nothing() -> None:
    with pytest.raises(TypeError, match="an invariant asserts, and returns nothing"):
        only("refuse", holds=invariant(lambda self: True)).run(5)


def test_unsteady_contract_is_told() -> None:
    times = iter(range(10**6))
    unsteady = invariant(lambda self: require(next(times) != 7, "seven"))
    with pytest.raises(AssertionError, match="depends on something outside the chain"):
        only("refuse", unsteady=unsteady).run(20)


# What is tried


def hold(condition: bool) -> None:
    """What a contract takes for granted; here it does not always hold."""
    if not condition:
        raise ArithmeticError("a bug")


class Shop(Contract):
    stock: Map[u64, Address]
    made: u64
    opened: u64

    @init
    def new(self, size: u8) -> None:
        require(size > 2, "too small")
        self.made = 10**12
        self.opened = self.block.timestamp

    @call
    def make(self) -> u64:
        self.made += 1
        self.stock[self.made] = self.caller
        return self.made

    @call
    def take(self, number: u64) -> None:
        require(self.stock[number] == self.caller, "not yours")
        raise KeyError("taken")

    @call
    def close(self) -> None:
        hold(self.block.timestamp < self.opened + 3600)

    @call(payable=True)
    def pay(self) -> None:
        hold(self.value < 10)

    @call
    def greet(self, name: str) -> None:
        hold(name != self.caller_id)

    @call
    def meet(self, who: Address) -> None:
        hold(who != self.caller)


class ShopFuzz(Fuzz):
    contracts = (Shop,)


@pytest.mark.parametrize(
    ("entries", "line"),
    [
        (("make", "take"), "shop.take(1000000000001, sender=alice)"),  # a number that was returned
        (("close",), "chain.advance("),
        (("pay",), "shop.pay(sender=alice, value=10)"),
        (("greet",), "shop.greet(str(alice), sender=alice)"),
        (("meet",), "shop.meet(alice, sender=alice)"),
    ],
)
def test_meaningful_values_are_tried(entries: tuple[str, ...], line: str) -> None:
    with pytest.raises(Finding) as found:
        only(*entries, contract=Shop).run(300)
    assert line in found.value.test
    assert "shop = play.deploy(Shop, 3, sender=alice)" in found.value.test


def test_named_callers_go_by_name() -> None:
    with pytest.raises(Finding) as found:
        only("greet", contract=Shop, callers=("zoe.testnet",)).run(300)
    assert 'shop.greet("zoe.testnet", sender=zoe_testnet)' in found.value.test.replace("'", '"')


def test_contract_that_cannot_be_deployed() -> None:
    class Closed(Contract):
        @init
        def new(self, size: u8) -> None:
            raise Revert("never")

        @call
        def enter(self) -> None: ...

    with pytest.raises(
        TypeError, match=r"Closed could not be deployed .*never.*: deploy it in set_up"
    ):
        only(contract=Closed).run(5)


class Maze(Contract):
    place: u64

    @call
    def go(self, way: u64) -> None:
        require(way == self.caller[0] * 2**40 + self.place, "a wall")
        self.place += 1
        hold(self.place < 4)


class MazeFuzz(Fuzz):
    contracts = (Maze,)

    @proposes("go")
    def ways(self) -> Iterator[Any]:
        for who in self.accounts:
            yield by(who, who[0] * 2**40 + self.handle.fields.place)


def test_proposals_lead_through_maze() -> None:
    with pytest.raises(Finding) as found:
        MazeFuzz.run(20)
    assert len(found.value.steps) == 4


def test_proposal_for_unknown_entry() -> None:
    class LostFuzz(MazeFuzz):
        @proposes("fly")
        def wings(self) -> Any:
            return []

    with pytest.raises(
        TypeError, match="wings proposes calls of 'fly': no contract has such an entry"
    ):
        LostFuzz.run(1)


def test_before_is_last_transaction() -> None:
    play = only(contract=Shop)()
    shop = play.deploy(Shop, 3)
    shop.make()
    assert shop.make().return_value == play.before.fields.made + 1


# Values


@dataclass(frozen=True)
class Even:
    number: u8

    def __post_init__(self) -> None:
        if self.number % 2:
            raise ValueError("odd")


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_values_fit_their_kind(drawn: Any, data: st.DataObject) -> None:
    kind = data.draw(drawn.kinds)
    value = data.draw(values(kind))
    record = Record("any", (Member("value", kind),))
    assert abi.decode_members(record.members, abi.encoder(record)((value,))) == (value,)


@given(st.data())
def test_records_may_refuse_values(data: st.DataObject) -> None:
    kind = Record("Even", (Member("number", _u8()),), Even)
    assert data.draw(values(kind)).number % 2 == 0


def _u8() -> Any:
    return Till.__spec__.entries["divide"].params[0].kind


def test_latest_seen_comes_first() -> None:
    hints = Hints()
    for number in (4, 5):
        hints.note(_u8(), number)
    assert [hints.pick(_u8(), place) for place in (0, 1, 2)] == [5, 4, 5]


@pytest.mark.parametrize(
    ("value", "better"),
    [(0, []), (True, [False]), (9, [0, 1, 4, 8]), (-2, [2, 0, 1, -1]), ("ab", ["", "a"]), ((3,), [(), (0,), (1,), (2,)])],
)  # fmt: skip
def test_simpler_values(value: Any, better: list[Any]) -> None:
    assert list(simpler(value)) == better


# What is shown


def test_report_counts_by_reason() -> None:
    text = str(only("make", "take", contract=Shop, is_finding=lambda self, failure: False).run(40))
    assert "Shop.take" in text
    assert "not yours (" in text
    assert "KeyError: 'taken'" in text
    assert "lines reached, not " in text


def test_tracer_of_others_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    before = sys.gettrace()

    def tracer(frame: Any, event: str, arg: Any) -> None:
        return None

    sys.settrace(tracer)
    try:
        report = only("refuse").run(3)
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)
    assert not report.lines.ever


# Imports and commands


@pytest.mark.parametrize("name", ["chain", "contracts.deblockle", "contracts.deblockle.fuzz"])
def test_import_brings_no_hypothesis(name: str) -> None:
    code = f"import {name}, sys; print('hypothesis' in sys.modules, 'chain.fuzz' in sys.modules)"
    shown = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert shown.stdout.split() == ["False", str(name.endswith("fuzz"))]


def test_missing_hypothesis_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    for name in ("chain.fuzz.runner", "chain.fuzz.strategies", "chain.fuzz.explore"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(NoHypothesis, match="pip install hypothesis"):
        ShopFuzz.run(1)
    told = fuzz("contracts.deblockle")
    assert (told.exit_code, "needs Hypothesis" in told.stderr) == (2, True)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("no.such.game", "there is no package 'no.such.game' here"),
        ("contracts.deblockle:Chess", "no description 'Chess'"),
        ("chain.types", "no contract and no description"),
    ],
)
def test_wrong_target_is_told(target: str, said: str) -> None:
    told = fuzz(target)
    assert told.exit_code == 2
    assert said in told.stderr


def test_contracts_without_description(module: Callable[..., str], tmp_path: Path) -> None:
    plain = LOCK.replace("class LockFuzz(Fuzz)", "class LockFuzz")
    plain = plain.replace('require(drops == 3, "that will not do")', "drops = 9 // drops")
    found = tmp_path / "test_plain.py"
    assert fuzz(module("lock_plain", plain), "--write", str(found)).exit_code == 1
    assert "lock = chain.deploy(Lock)" in found.read_text()
    assert "ZeroDivisionError" in run_alone(found).stdout


ARCADE = """
from chain import System, call
from chain.types import u8


class Coins(System):
    inserted: bool

    @call
    def insert(self) -> None:
        self.inserted = True


class Play(System):
    @call
    def begin(self, lives: u8) -> u8:
        return 3 // lives


def deploy(chain):
    return chain.deploy_world("arcade", systems=[Coins, Play], writers={})
"""


def test_world_without_description(module: Callable[..., str], tmp_path: Path) -> None:
    name, found = module("arcade", ARCADE), tmp_path / "test_arcade.py"
    assert {*descriptions(name)[0](Chain()).handles} == {"coins", "play"}
    assert "Play.begin fails" in fuzz(name, "--write", str(found)).output
    assert 'play = descriptions("arcade")[0](chain)' in found.read_text()
    assert "ZeroDivisionError" in run_alone(found).stdout


class Pile(Contract):
    size: u64

    @call
    def add(self, numbers: list[u8]) -> None:
        self.size += len(numbers)
        hold(9 not in numbers)


def test_lists_are_tried_and_shortened() -> None:
    with pytest.raises(Finding) as found:
        only("add", contract=Pile).run(200)
    assert [step.args for step in found.value.steps] == [([9],)]


def test_finding_leaves_its_chain() -> None:
    with pytest.raises(Finding) as found:
        only("divide").run(50)
    assert "Till.divide(0) failed: ZeroDivisionError" in found.value.transcript
    with reverts(ZeroDivisionError):
        Chain().deploy(Till).divide(0)
