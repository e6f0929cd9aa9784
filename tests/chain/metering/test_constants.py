"""Constants refuse changes by messages, and are ordinary objects otherwise: for tests, for copies, without a guard."""

from __future__ import annotations

import copy
import json
import pickle
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

import pytest

from chain import Chain, Contract, call
from chain.errors import Reverted
from chain.metering.constants import ConstantChanged
from chain.metering.program import build_of, program_of
from chain.simulator.handle import Handle
from chain.types import u64
from tests.chain.metering.conftest import Load

RULES = """
COST = {"road": 1, "city": [3, 2]}
ROWS = [[1], [2]]

def price(name):
    return COST[name] if name in COST else 0

def change(table):
    table["road"] = 5
"""
SHOP = """
import rules
from rules import COST

class Shop(Contract):
    sold: u64

    @call
    def sell(self, name: str) -> u64:
        self.sold += rules.price(name)
        return self.sold

    @call
    def rows(self) -> u64:
        return sum(map(sum, rules.ROWS)) + len(COST)

    @call
    def cheat(self) -> None:
        self.sold = 9
        rules.change(COST)
"""


@pytest.fixture
def made(load: Load) -> Any:
    return load(rules=RULES, shop=SHOP)


@pytest.fixture
def rules(made: Any) -> Any:
    return made.rules


# While a message runs


def test_change_by_a_message_is_refused_in_words(made: Any, rules: Any, chain: Chain) -> None:
    shop = chain.deploy(made.Shop)
    with pytest.raises(Reverted) as caught:
        shop.cheat()
    assert isinstance(caught.value.error.cause, ConstantChanged)
    assert str(caught.value.error.cause) == (
        "__setitem__ would change rules.py:4: 'COST', which outlives the call: a failed call would not undo it, "
        "and another machine would not have it; keep it in a field of the contract, or change a copy"
    )
    assert (rules.COST["road"], shop.fields.sold) == (1, 0)


# Between messages


def test_patch_after_the_deployment(
    made: Any, rules: Any, chain: Chain, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = chain.deploy(made.Shop)
    monkeypatch.setitem(rules.COST, "road", 7)
    assert made.COST is rules.COST
    assert shop.sell("road").return_value == 7
    monkeypatch.undo()
    assert shop.sell("road").return_value == 8


def test_patch_before_the_deployment_is_undone_after_it(
    made: Any, rules: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = program_of(made.Shop).digest
    monkeypatch.setitem(made.COST, "road", 7)
    monkeypatch.delitem(rules.COST, "city")
    rows, row = rules.ROWS, rules.ROWS[0]
    rows[0] = [10]
    shop = Chain().deploy(made.Shop)
    assert (shop.sell("road").return_value, shop.rows().return_value) == (7, 13)
    assert program_of(made.Shop).digest != digest
    monkeypatch.undo()
    rows[0] = row
    shop = Chain().deploy(made.Shop)
    assert (shop.sell("road").return_value, shop.rows().return_value) == (1, 5)
    assert program_of(made.Shop).digest == digest
    assert rules.COST == {"road": 1, "city": [3, 2]}


def test_patch_is_another_contract(
    made: Any, rules: Any, chain: Chain, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain.deploy(made.Shop)
    first = program_of(made.Shop)
    with monkeypatch.context() as patch:
        patch.setitem(rules.COST, "road", 7)
        second = program_of(made.Shop)
        patch.setattr(rules, "price", lambda name: 5)
        third = program_of(made.Shop)
    assert len({each.digest for each in (first, second, third)}) == 3
    assert program_of(made.Shop).digest == first.digest


def test_added_rows_are_frozen_by_the_next_deployment(made: Any, rules: Any, chain: Chain) -> None:
    chain.deploy(made.Shop)
    rules.ROWS.append([5])
    shop = chain.deploy(made.Shop)
    assert shop.rows().return_value == 10
    assert type(rules.ROWS[2]) is type(rules.ROWS[1]) is not list


def test_second_contract_leaves_the_first_as_it_is(load: Load, chain: Chain) -> None:
    both = load(
        both="""
        from functools import partial
        from types import MappingProxyType
        ROWS = [1]
        NAMES = MappingProxyType({"a": ROWS})
        size = partial(len, ROWS)
        count = ROWS.count
        class One(Contract):
            @view
            def get(self) -> u64: return size() + count(1) + len(NAMES["a"])
        class Two(Contract):
            @view
            def get(self) -> u64: return size() + count(1) + len(NAMES["a"])
        """
    )
    one, two = chain.deploy(both.One), chain.deploy(both.Two)
    built = build_of(both.One), build_of(both.Two)
    assert (one.get(), two.get()) == (3, 3)
    assert (build_of(both.One), build_of(both.Two)) == built


# Without a guard


def test_without_a_guard_nothing_is_frozen(made: Any, rules: Any) -> None:
    Chain(guard=False).deploy(made.Shop)
    assert type(rules.COST) is dict and type(rules.ROWS[0]) is list


def test_without_a_guard_a_message_may_change_what_another_chain_froze(
    made: Any, rules: Any, chain: Chain
) -> None:
    chain.deploy(made.Shop)
    Chain(guard=False).deploy(made.Shop).cheat()
    assert rules.COST["road"] == 5


# As values

ROWS = [[2], [1]]
TABLE = {"a": 1, "b": [2]}
SEEN = {3}
QUEUE = deque([1, [2]], 5)
ORDERED = OrderedDict(a=1, b=[2])
DEFAULT: defaultdict[str, Any] = defaultdict(list, a=1)
COUNTED = Counter("aab")
PLAIN: dict[str, Any] = {
    "ROWS": [[2], [1]], "TABLE": {"a": 1, "b": [2]}, "SEEN": {3}, "QUEUE": deque([1, [2]], 5),
    "ORDERED": OrderedDict(a=1, b=[2]), "DEFAULT": defaultdict(list, a=1), "COUNTED": Counter("aab"),
}  # fmt: skip
DICTS = "TABLE ORDERED DEFAULT"
READ = {
    "repr(x), len(x), bool(x), x == plain, plain == x, x != plain, [*x], sorted(map(str, x))": "",
    "isinstance(x, type(plain)), type(x)(x) == plain" : "ROWS TABLE SEEN QUEUE ORDERED COUNTED",
    "{**x}, x | {'z': 1}, {'z': 1} | x, x.get('a'), x.get('z'), x.keys(), [*x.items()]": DICTS,
    "x[0], x[-1], x.index([2]), x.count([1]), x + x, x * 2, [*reversed(x)]": "ROWS",
    "x[:], x[::-1], [1] in x, sorted(x), x < [[4]]": "ROWS",
    "json.dumps(x)": f"ROWS COUNTED {DICTS}",
    "x | {4}, {4} | x, x & {3}, x - {3}, x ^ {4}, x.union([4]), x <= {3, 4}, 3 in x": "SEEN",
    "x['z'], x + x, x.most_common(1), x.total(), [*x.elements()]": "COUNTED",
    "x.maxlen, x[0], [*reversed(x)]": "QUEUE",
}  # fmt: skip


class Reader(Contract):
    total: u64

    @call
    def read(self) -> u64:
        return sum(map(len, (ROWS, TABLE, SEEN, QUEUE, ORDERED, DEFAULT, COUNTED)))

    @call
    def change_copies(self) -> u64:
        own = [ROWS.copy(), ROWS[:], list(ROWS), [*ROWS], sorted(ROWS), ROWS * 1]
        for rows in own:
            rows.append([3])
            rows.sort()
        table = {**TABLE} | dict(TABLE)
        table["c"] = [4]
        seen = SEEN | {2}
        seen.add(4)
        return sum(map(len, own)) + len(table) + len(seen)


@pytest.fixture
def reader(chain: Chain) -> Handle:
    return chain.deploy(Reader)


@pytest.mark.parametrize("name", PLAIN)
def test_constant_is_read_like_a_plain_one(reader: Handle, name: str) -> None:
    assert reader.read().return_value == 12
    constant, plain = vars(sys.modules[__name__])[name], PLAIN[name]
    assert type(constant) is not type(plain)
    for code, names in READ.items():
        if name in (names or PLAIN):
            found = [eval(code, {"x": x, "plain": plain, "json": json}) for x in (constant, plain)]
            assert found[0] == found[1]


@pytest.mark.parametrize("name", PLAIN)
def test_copy_of_a_constant_is_ordinary(reader: Handle, name: str) -> None:
    constant, plain = vars(sys.modules[__name__])[name], PLAIN[name]
    ways: list[Callable[[Any], Any]] = [
        copy.copy,
        copy.deepcopy,
        lambda x: pickle.loads(pickle.dumps(x)),
    ]
    for way in ways:
        assert way(constant) == plain
        assert type(way(constant)).__name__ == type(plain).__name__
    deep = copy.deepcopy(constant)
    assert type(deep) is type(plain) or name == "SEEN"  # which keeps its order


def test_copies_belong_to_the_call(reader: Handle) -> None:
    assert [reader.change_copies().return_value for _ in range(2)] == [18 + 3 + 3] * 2
