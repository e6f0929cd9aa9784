"""Constants are read as Python reads them, and a copy of one belongs to the call."""

from __future__ import annotations

import copy
import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

import pytest

from chain import Chain, Contract, call
from chain.metering.charged_deques import Deque
from chain.metering.frozen_collections import begun, fill
from chain.metering.ordered_sets import OrderedDict, OrderedSet
from chain.types import u64

MADE: dict[str, Any] = {
    "list": [3, 1, [2]],
    "dict": {"a": 1, "b": [2]},
    "set": OrderedSet([3]),
    "deque": Deque([1, [2]], 5),
    "ordered": OrderedDict(a=1, b=[2]),
    "default": defaultdict(list, a=1),
    "counter": Counter("aab"),
}
READ = {
    "repr(x)": "list dict set deque ordered default counter",
    "len(x), bool(x), x == plain, plain == x, x != plain": "list dict set deque ordered default counter",
    "[*x], list(x), tuple(x), [each for each in x]": "list dict set deque ordered default counter",
    "copy.copy(x), type(copy.copy(x)) is type(plain)": "list dict set deque ordered default counter",
    "copy.deepcopy(x), type(copy.deepcopy(x)) is type(plain)": "list dict set deque ordered default counter",
    "x.copy(), type(x.copy()) is type(plain)": "list dict set deque ordered default counter",
    "type(x)(x), type(type(x)(x)) is type(plain)": "list dict set deque ordered counter",
    "isinstance(x, type(plain))": "list dict set deque ordered default counter",
    "{**x}, x | {'z': 1}, {'z': 1} | x, x.get('a'), x.get('z'), x['a'], x.keys(), [*x.items()]": "dict ordered default",
    "x[0], x[-1], x.index(1), x.count(1), x + x, x * 2, [*reversed(x)]": "list deque",
    "x[:], type(x[:]) is list, x[::-1], 1 in x, sorted(x[:2]), x < [4]": "list",
    "json.dumps(x)": "list dict ordered default counter",
    "x | {4}, {4} | x, x & {3}, x - {3}, x ^ {4}, x.union([4]), x <= {3, 4}, 3 in x": "set",
    "type(x | {4}) is type(plain), type(x - {4}) is type(plain), type(x.union([4])) is type(plain)": "set",
    "x['z'], x + x, x.most_common(1), x.total(), [*x.elements()]": "counter",
    "x.maxlen": "deque",
}
CASES = [(name, code) for code, names in READ.items() for name in names.split()]


def constant(value: Any) -> Any:
    made = begun(value)
    fill(made, [*value.items()] if isinstance(value, dict) else [*value])
    return made


@pytest.mark.parametrize(("name", "code"), CASES)
def test_constant_is_read_like_a_plain_one(name: str, code: str) -> None:
    plain = MADE[name]
    found = [
        eval(code, {"x": x, "plain": plain, "copy": copy, "json": json})
        for x in (constant(plain), plain)
    ]
    assert found[0] == found[1]


ROWS = [[2], [1]]
TABLE = {"a": [1]}
SEEN = {1}


class Copier(Contract):
    @call
    def change_copies(self) -> u64:
        own: list[list[list[int]]] = [
            ROWS.copy(),
            ROWS[:],
            list(ROWS),
            [*ROWS],
            sorted(ROWS),
            ROWS * 1,
        ]
        for rows in own:
            rows.append([3])
            rows.sort()
        table = {**TABLE} | dict(TABLE)
        table["b"] = [4]
        deep = copy.deepcopy(TABLE)
        deep["a"].append(5)
        seen = SEEN | {2}
        seen.add(3)
        return sum(map(len, own)) + len(table) + len(deep["a"]) + len(seen)


def test_copies_belong_to_the_call(chain: Chain) -> None:
    copier = chain.deploy(Copier)
    assert [copier.change_copies().return_value for _ in range(2)] == [18 + 2 + 2 + 3] * 2


class Holder(Contract):
    rows: list[u64]

    @call
    def keep(self) -> list[list[u64]]:
        self.rows = ROWS[0]
        return ROWS


def test_constants_are_stored_and_returned_like_plain_values(chain: Chain) -> None:
    holder = chain.deploy(Holder)
    assert holder.keep().return_value == ROWS
    assert holder.fields.rows == [2]


# A module may change what it holds while it is imported, also when another contract reaches more of it.

REGISTRY: list[str] = []


class First(Contract):
    @call
    def count(self) -> u64:
        return len(REGISTRY)


def registered(name: str) -> str:
    REGISTRY.append(name)
    return name


NAME = registered("second")


class Second(Contract):
    @call
    def count(self) -> u64:
        return len(REGISTRY) + len(NAME)


def test_what_is_reached_later_finds_a_module_of_its_own() -> None:
    chain = Chain(guard=False)
    assert chain.deploy(First).count().return_value in (0, 1)
    assert chain.deploy(Second).count().return_value == 7


@dataclass
class Pair:
    n: int


PAIR = Pair(1)


class Teller(Contract):
    @call
    def tell(self) -> str:
        return f"{PAIR} {Pair(2)!r}"


def test_objects_of_authors_are_still_written_out(chain: Chain) -> None:
    assert chain.deploy(Teller).tell().return_value == "Pair(n=1) Pair(n=2)"
