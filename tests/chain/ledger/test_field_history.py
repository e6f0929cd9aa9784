"""The history of fields: the same values as the fields of the past after each receipt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain import Address, Chain, Contract, IterableMap, Map, Set, Vector, call
from chain.simulator.handle import Handle
from chain.types import u8, u64
from chain.values import ValueMismatch


class Shelf(Contract):
    count: u8
    other: u8  # in the same word
    title: str
    rows: Vector[tuple[u64, ...]]
    places: Map[u8, Map[Address, u64]]
    seen: Set[u8]
    stock: IterableMap[u8, u64]

    @call
    def put(self, key: u8, value: u8) -> None:
        self.count = value
        self.title = "long " * 3 * value
        self.places[key][self.caller] = value
        if value % 2:
            self.rows.append((value,) * 3 * value)
            self.seen.add(key)
        else:
            self.seen.discard(key)
            self.stock.pop(key, 0)
        if value > 2:
            self.stock[key] = value

    @call
    def touch(self) -> None:
        self.other += 1


def item(*keys: Any) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        for key in keys:
            value = value[key]
        return value

    return read


def row(number: int) -> Callable[[Any], Any]:
    return lambda rows: rows[number] if number < len(rows) else None


ALICE = Chain().accounts[0]
QUESTIONS: list[tuple[str, tuple[Any, ...], Callable[[Any], Any]]] = [
    ("count", (), item()),
    ("other", (), item()),
    ("title", (), item()),
    ("rows", (1,), row(1)),
    ("places", (1, "alice"), item(1, ALICE)),
    ("stock", (1,), lambda stock: stock.get(1)),
    ("seen", (2,), lambda seen: 2 in seen),
]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=8), st.integers(0, 8))
def test_history_is_that_of_the_past(plays: list[tuple[int, int]], undone: int) -> None:
    chain = Chain()
    shelf = chain.deploy(Shelf)
    for number, (key, value) in enumerate(plays):
        if number == undone:
            with chain.anchor():
                shelf.put(1, 3)
                chain.history(shelf, "count")
        if key:
            shelf.put(key, value, sender=chain.accounts[value % 2])
        else:
            shelf.touch()
        chain.history(shelf, "title")
    for field, keys, read in QUESTIONS:
        value, expected = read(getattr(chain.at(1).handle(shelf).fields, field)), []
        for receipt in chain.receipts[1:]:
            before = value
            value = read(getattr(chain.after(receipt).handle(shelf).fields, field))
            if value != before:
                expected.append((value, receipt))
        versions = chain.history(shelf, field, *keys)
        assert [(version.value, version.receipt) for version in versions] == expected
        middle = chain.receipts[len(plays) // 2]
        then = chain.before(middle).history(shelf, field, *keys)
        assert then == [each for each in versions if each.receipt.position < middle.position]


@pytest.fixture
def shelf(chain: Chain) -> Handle:
    return chain.deploy(Shelf)


@pytest.mark.parametrize(
    ("field", "keys", "words"),
    [
        ("size", (), "Shelf has no field 'size'; it has count, other, title"),
        ("rows", (), "Shelf.rows is a list: name an item"),
        ("places", (1,), r"Shelf.places\[1\] is a Map: name an item"),
        ("count", (1,), "Shelf.count has no items: leave out 1"),
        ("places", ("x", "alice"), "places"),
        ("rows", (-1,), "Shelf.rows = -1"),
    ],
)
def test_wrong_fields_are_explained(
    chain: Chain, shelf: Handle, field: str, keys: tuple[Any, ...], words: str
) -> None:
    with pytest.raises((TypeError, ValueError, ValueMismatch), match=words):
        chain.history(shelf, field, *keys)


def test_history_over_the_wire(chain: Chain, shelf: Handle) -> None:
    shelf.put(1, 3)
    shelf.put(1, 4)
    told = chain.node.request("chain_fieldHistory", ["Shelf", "places", [1, "alice"]])
    assert [(each["value"], each["receipt"]) for each in told] == [(3, 1), (4, 2)]
