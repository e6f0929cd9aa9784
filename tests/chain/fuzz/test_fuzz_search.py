"""The search of fuzzing: its attempts, the problems that count, and its reports."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain import Address, Chain, Contract, Map, Revert, abi, call, init, require, reverts, view
from chain.fuzz import Fuzz, by, invariant, proposes
from chain.fuzz.explorer import CallExplorer
from chain.fuzz.failure import FuzzFailure
from chain.fuzz.random_values import NoValue, ValueHints, values
from chain.fuzz.shrink import shrink, simpler_values
from chain.fuzz.steps import Call
from chain.types import i64, u8, u64
from chain.values import Field, StructType
from chain.values.annotations import type_of_annotation
from tests.chain.helpers import untyped


def test_same_seed_same_run() -> None:
    entries = ("make", "take", "greet")
    fuzz = only(*entries, contract=Shop, is_finding=lambda self, failure: False)
    reports = [str(fuzz.run(20, seed=seed)) for seed in (1, 1, 2)]
    assert reports[0] == reports[1] != reports[2]


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
    return type("OnlyFuzz", (Fuzz,), {"contracts": (contract,), "excluded": rest, **more})


def test_exception_in_contract_is_found() -> None:
    with pytest.raises(FuzzFailure, match=r"Till.divide fails .* ZeroDivisionError") as found:
        only("divide").run(50)
    assert [untyped(step).args for step in found.value.steps] == [(0,)]


def test_result_too_wide_is_found() -> None:
    with pytest.raises(FuzzFailure, match=r"doubled.result = 256 does not fit u8") as found:
        only("doubled").run(50)
    assert "till.doubled(128, sender=alice)" in found.value.test


def test_refusals_are_not_findings() -> None:
    report = only("refuse").run(10)
    assert report.tallies["Till.refuse"].calls > 10
    assert report.unreached == ["Till.refuse"]
    assert len(report.reached) == 1


def test_description_may_count_refusals() -> None:
    with pytest.raises(FuzzFailure, match="never"):
        only("refuse", is_finding=lambda self, failure: failure.kind == "revert").run(10)


def test_invariant_must_return_nothing() -> None:
    with pytest.raises(TypeError, match="an invariant asserts, and returns nothing"):
        only("refuse", holds=invariant(lambda self: True)).run(5)


def test_unsteady_contract_is_reported() -> None:
    times = iter(range(10**6))
    unsteady = invariant(lambda self: require(next(times) != 7, "seven"))
    with pytest.raises(AssertionError, match="depends on something outside the chain"):
        only("divide", is_finding=lambda self, failure: False, unsteady=unsteady).run(20)


def hold(condition: bool) -> None:
    """Assert an assumption of the contract, which does not always hold here."""
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


@pytest.mark.parametrize(
    ("entries", "line"),
    [
        (("make", "take"), "shop.take(1000000000001, sender=alice)"),  # a number that was returned
        (("close",), "chain.advance("),
        (("pay",), "shop.pay(sender=alice, value=10)"),
        (("greet",), "shop.greet('alice', sender=alice)"),
        (("meet",), "shop.meet(alice, sender=alice)"),
    ],
)
def test_meaningful_values_are_tried(entries: tuple[str, ...], line: str) -> None:
    with pytest.raises(FuzzFailure) as found:
        only(*entries, contract=Shop).run(300)
    assert line in found.value.test
    assert "shop = play.deploy(Shop, 3, sender=alice)" in found.value.test


def test_named_callers_are_shown_by_name() -> None:
    with pytest.raises(FuzzFailure) as found:
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
    with pytest.raises(FuzzFailure) as found:
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


def test_misspelled_exclusion_is_refused() -> None:
    class LostFuzz(MazeFuzz):
        excluded = ("fly",)

    with pytest.raises(TypeError, match="LostFuzz excludes 'fly': no contract has such an entry"):
        LostFuzz.run(1)


def test_before_is_last_transaction() -> None:
    play = only(contract=Shop)()
    shop = play.deploy(Shop, 3)
    shop.make()
    assert shop.make().return_value == play.before.fields.made + 1


@dataclass(frozen=True)
class Even:
    number: u8

    def __post_init__(self) -> None:
        if self.number % 2:
            raise ValueError("odd")


@dataclass(frozen=True)
class Never:
    number: u8

    def __post_init__(self) -> None:
        raise ValueError("no")


@given(st.data(), st.randoms(use_true_random=True))
@settings(max_examples=60, deadline=None)
def test_values_fit_their_kind(drawn: Any, data: st.DataObject, random: Random) -> None:
    kind = data.draw(drawn.kinds)
    value = values(kind)(random)
    record = StructType("any", (Field("value", kind),))
    assert abi.decode_members(record.members, record.encode((value,))) == (value,)


def test_records_may_refuse_values() -> None:
    even = values(StructType("Even", (Field("number", _u8()),), Even))
    assert all(even(Random(seed)).number % 2 == 0 for seed in range(50))
    never = values(StructType("Never", (Field("number", _u8()),), Never))
    with pytest.raises(NoValue, match="Never refuses every value"):
        never(Random(0))


def test_wide_numbers_have_all_widths() -> None:
    for kind in (type_of_annotation(name) for name in (u64, i64)):
        numbers = [values(kind)(Random(seed)) for seed in range(2000)]
        widths = {abs(number).bit_length() for number in numbers}
        assert len(widths & {*range(8, 64)}) > 50
        assert (min(numbers) < -(2**50)) == (kind.name == "i64")


def _u8() -> Any:
    return Till.__spec__.entries["divide"].params[0].kind


def test_latest_inputs_are_tried_first() -> None:
    hints = ValueHints()
    for number in (4, 5):
        hints.record(_u8(), number)
    assert [hints.recall(_u8(), place) for place in (0, 1, 2)] == [5, 4, 5]


@pytest.mark.parametrize(
    ("value", "better"),
    [(0, []), (True, [False]), (9, [0, 1, 4, 8]), (-2, [2, 0, 1, -1]), ("ab", ["", "a"]), ((3,), [(), (0,), (1,), (2,)])],
)  # fmt: skip
def test_simpler_values(value: Any, better: list[Any]) -> None:
    assert list(simpler_values(value)) == better


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


class Pile(Contract):
    size: u64

    @call
    def add(self, numbers: list[u8]) -> None:
        self.size += len(numbers)
        hold(9 not in numbers)


def test_lists_are_tried_and_shortened() -> None:
    with pytest.raises(FuzzFailure) as found:
        only("add", contract=Pile).run(200)
    assert [untyped(step).args for step in found.value.steps] == [([9],)]


def test_finding_leaves_its_chain() -> None:
    with pytest.raises(FuzzFailure) as found:
        only("divide").run(50)
    assert "Till.divide(0) failed: ZeroDivisionError" in found.value.activity
    with reverts(ZeroDivisionError):
        Chain().deploy(Till).divide(0)


class Purse(Contract):
    coins: u64
    owner: Address

    @init
    def new(self) -> None:
        self.owner = self.caller

    @call
    def earn(self, coins: u64) -> None:
        self.coins = coins

    @call
    def spend(self, coins: u64) -> None:
        require(0 < coins <= self.coins, "too few")
        self.coins = 0
        hold(False)


def test_values_are_simplified_until_none_can_be() -> None:
    """Less can be earned only once less is spent."""
    explorer = CallExplorer(only("earn", "spend", contract=Purse), lines=False)
    steps = [Call("purse", entry, (50,), Chain().accounts[0]) for entry in ("earn", "spend")]
    found = explorer.replay([*steps])
    assert found is not None
    shorter = shrink(explorer, [*steps], found[0])
    assert shorter is not None
    assert [untyped(step).args for step in shorter[0]] == [(1,), (1,)]


def test_lines_of_the_set_up_count() -> None:
    lines, start = only("earn", contract=Purse).run(5).lines, Purse.new.__code__.co_firstlineno
    assert (__file__, start + 2) in lines.ever


def test_assertion_without_text_is_quoted() -> None:
    def broken(self: Fuzz) -> None:
        if self.handle.fields.coins > 4:
            raise AssertionError

    with pytest.raises(FuzzFailure, match=r"hold: raise AssertionError\n"):
        only("earn", contract=Purse, small=invariant(broken)).run(50)


def test_failing_view_has_no_activity() -> None:
    with pytest.raises(FuzzFailure, match=r"It takes 1 step\.\n\nThis test"):
        only("doubled").run(50)
