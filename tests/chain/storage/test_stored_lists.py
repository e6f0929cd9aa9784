"""A list that is read from a contract's storage is a value: it reads as a list, and a change in it is refused, never lost."""

from __future__ import annotations

import copy
import heapq
import json
import operator
import pickle
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from enum import Enum
from typing import Any

import pytest

from chain import Chain, Contract, Map, Revert, Reverted, Vector, call, error, event, init, view
from chain.storage.frozen_list import FrozenList
from chain.types import u8, u64


@dataclass(frozen=True)
class Hand:
    cards: list[u8]
    size: u8


@event
class Dealt:
    cards: list[u8]


@error
class Full(Revert):
    cards: list[u8]


class Table(Contract):
    row: list[u8]
    names: list[str]
    rows: list[list[u8]]
    piles: Vector[list[u8]]
    bets: Map[u64, list[u8]]
    hand: Hand
    last: list[u8] | None
    pair: tuple[list[u8], u8]
    hands: tuple[Hand, ...]
    order: Vector[u8]

    @init
    def new(self) -> None:
        self.row, self.names, self.rows = [3, 1, 2], ["b", "a"], [[1], [2, 3]]
        self.piles.append([2, 1])
        self.bets[7] = [5]
        self.hand, self.last, self.pair = Hand([1, 2], 3), [7], ([1], 2)
        self.hands = (Hand([4], 5),)
        for item in (1, 2, 3):
            self.order.append(item)

    @call
    def work(self) -> None:
        job[0](self)

    @call
    def deal(self) -> None:
        self.emit(Dealt(self.row))
        self.row = self.at(Table, self.address).of_row()

    @call
    def take(self, cards: list[u8]) -> list[u8]:
        return [*cards, 9]

    @view
    def of_row(self) -> list[u8]:
        return self.row

    @view
    def of_rows(self) -> list[list[u8]]:
        return self.rows

    @view
    def of_pair(self) -> tuple[list[u8], u8]:
        return self.pair

    @view
    def of_last(self) -> list[u8] | None:
        return self.last


job: list[Callable[[Any], object]] = []


@pytest.fixture(params=[False, True], ids=["direct", "evm"])
def table(request: pytest.FixtureRequest) -> Any:
    return Chain(evm_only=request.param).deploy(Table)


def work(table: Any, what: Callable[[Any], object]) -> Any:
    job[:] = [what]
    return table.work()


CHANGES: dict[str, Callable[[Any], object]] = {
    "append": lambda me: me.row.append(9),
    "extend": lambda me: me.row.extend([9]),
    "insert": lambda me: me.row.insert(0, 9),
    "pop": lambda me: me.row.pop(),
    "remove": lambda me: me.row.remove(3),
    "clear": lambda me: me.row.clear(),
    "sort": lambda me: me.row.sort(),
    "sort by a key": lambda me: me.names.sort(key=len, reverse=True),
    "reverse": lambda me: me.row.reverse(),
    "item": lambda me: me.row.__setitem__(0, 9),
    "slice": lambda me: me.row.__setitem__(slice(0, 1), []),
    "del": lambda me: me.row.__delitem__(0),
    "empty": lambda me: me.bets[8].append(1),
    "of words": lambda me: me.names.append("c"),
    "nested": lambda me: me.rows[1].append(9),
    "nested item": lambda me: me.rows[1].__setitem__(0, 9),
    "in a plain copy": lambda me: list(me.rows)[1].append(9),
    "vector": lambda me: me.piles[0].sort(),
    "popped": lambda me: me.piles.pop().append(1),
    "walked": lambda me: [pile.append(1) for pile in me.piles],
    "map": lambda me: me.bets[7].append(9),
    "record": lambda me: me.hand.cards.append(9),
    "record in a tuple": lambda me: me.hands[0].cards.append(9),
    "option": lambda me: me.last.append(9),
    "tuple": lambda me: me.pair[0].append(9),
    "shuffle": lambda me: me.random.shuffle(me.row),
    "shuffle of one": lambda me: me.random.shuffle(me.rows[0]),
    "method": lambda me: me.of_row().append(9),
}


@pytest.mark.parametrize("change", CHANGES)
def test_change_of_what_was_read_is_refused(table: Any, change: str) -> None:
    with pytest.raises(
        Reverted, match=r"a list that was read from storage.* \[\*self\.row, item\]"
    ):
        work(table, CHANGES[change])


def test_refusal_names_change_and_line(table: Any) -> None:
    with pytest.raises(Reverted, match=r"TypeError: sort would change a list .*test_stored_lists"):
        work(table, CHANGES["sort"])


def test_loaded_shuffle_is_refused(table: Any) -> None:
    with (
        table.chain.loaded(deal=[[1, 2, 3]]),
        pytest.raises(Reverted, match="read from storage"),
    ):
        work(table, lambda me: me.random.shuffle(me.row, tag="deal"))


def grow(me: Any) -> None:
    row = me.row
    row += [9]
    row.append(8)
    me.row = row


def assign_item(me: Any) -> None:
    me.piles[0] += [9]
    me.bets[7] *= 2
    me.rows = [*me.rows, me.row]
    me.hand = replace(me.hand, cards=sorted(me.row))


KEPT: list[tuple[Callable[[Any], object], dict[str, Any]]] = [
    (lambda me: setattr(me, "row", [*me.row, 9]), {"row": [3, 1, 2, 9]}),
    (lambda me: setattr(me, "row", me.row), {"row": [3, 1, 2]}),
    (grow, {"row": [3, 1, 2, 9, 8]}),
    (assign_item, {"rows": [[1], [2, 3], [3, 1, 2]], "hand": Hand([1, 2, 3], 3)}),
    (lambda me: me.bets.change(7, me.bets[7], [5, 6]), {}),
    (lambda me: me.piles.change(0, me.piles[0], [2, 1, 0]), {}),
]


@pytest.mark.parametrize(("change", "after"), KEPT)
def test_new_list_is_kept(
    table: Any, change: Callable[[Any], object], after: dict[str, Any]
) -> None:
    before = {name: getattr(table.fields, name) for name in ("row", "names", "rows", "hand")}
    work(table, change)
    fields = table.fields
    assert {name: getattr(fields, name) for name in before} == {**before, **after}


def test_vector_items_and_map_values_are_kept(table: Any) -> None:
    work(table, assign_item)
    assert [*table.fields.piles] == [[2, 1, 9]]
    assert table.fields.bets[7] == [5, 5]


READS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "copy": (copy.copy, [1, 2]),
    "deepcopy": (copy.deepcopy, [1, 2]),
    "pickle": (lambda row: pickle.loads(pickle.dumps(row)), [1, 2]),
    "own copy": (lambda row: row.copy(), [1, 2]),
    "list": (list, [1, 2]),
    "slice": (lambda row: row[:1], [1]),
    "sum": (lambda row: operator.add(row, [3]), [1, 2, 3]),
    "sum behind": (lambda row: operator.add([0], row), [0, 1, 2]),
    "sum of two": (lambda row: operator.add(row, row), [1, 2, 1, 2]),
    "times": (lambda row: row * 2, [1, 2, 1, 2]),
    "sorted": (sorted, [1, 2]),
    "rest": (lambda row: (lambda first, *rest: rest)(*row), (2,)),
    "asdict": (lambda row: list(asdict(Hand(row, 1))["cards"]), [1, 2]),
}


@pytest.mark.parametrize("how", READS)
def test_derived_values_are_plain(how: str) -> None:
    make, expected = READS[how]
    made = make(FrozenList([1, 2]))
    assert (type(made), made) == (type(expected), expected)


def test_it_is_a_list() -> None:
    row = FrozenList([1, [2]])
    assert isinstance(row, list)
    assert row == [1, [2]]
    assert row == [1, [2]]
    assert repr(row) == "[1, [2]]"
    assert json.dumps(row) == "[1, [2]]"
    match row:
        case [first, *others]:
            assert (first, others) == (1, [[2]])
        case _:
            pytest.fail("it is matched as a list is")


def test_copies_in_depth_can_be_changed() -> None:
    rows = copy.deepcopy(FrozenList([FrozenList([1])]))
    rows[0].append(2)
    assert rows == [[1, 2]]


def test_it_leaves_a_contract_as_a_plain_list(table: Any) -> None:
    assert table.deal().events.one(Dealt) == Dealt([3, 1, 2])
    assert table.take(table.fields.row).return_value == [3, 1, 2, 9]


def test_error_carries_it(table: Any) -> None:
    def fail(me: Any) -> None:
        raise Full(me.row)

    with pytest.raises(Reverted) as refused:
        work(table, fail)
    assert refused.value.__cause__.cards == [3, 1, 2]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("row", [3, 1, 2]), ("rows", [[1], [2, 3]]), ("pair", ([1], 2)), ("last", [7])],
)
def test_results_of_views_are_plain(table: Any, name: str, expected: Any) -> None:
    result = getattr(table, f"of_{name}")()
    assert result == expected
    assert "FrozenList" not in str(types_in(result))


def types_in(value: Any) -> list[type]:
    inner = value if isinstance(value, list | tuple) else ()
    return [type(value), *(each for item in inner for each in types_in(item))]


def test_fields_are_read_only_outside(table: Any) -> None:
    with pytest.raises(TypeError, match="append would change a list that was read from storage"):
        table.fields.row.append(9)


# Behind the methods of a list


class Colour(Enum):
    RED = 1


@error
class Mixed(Revert):
    colours: list[Colour]


class Heap(Contract):
    row: list[u8]
    colours: list[Colour]

    @call
    def refuse(self) -> None:
        self.colours = [Colour.RED]
        raise Mixed(self.colours)

    @call
    def push(self) -> None:
        heapq.heappush(self.row, 9)

    @call
    def heapify(self) -> None:
        row = self.row
        heapq.heapify(row)

    @call
    def kept(self) -> None:
        row = list(self.row)
        heapq.heappush(row, 9)
        list.append(row, 10)
        self.row = row


@pytest.mark.parametrize("entry", ["push", "heapify"])
def test_functions_of_c_are_refused_too(entry: str) -> None:
    heap = Chain(guard=False).deploy(Heap)
    with pytest.raises(Reverted, match="would change a list that was read from storage"):
        getattr(heap, entry)()


def test_functions_of_c_change_a_copy() -> None:
    heap = Chain(guard=False).deploy(Heap)
    heap.kept()
    assert heap.fields.row == [9, 10]


def test_error_of_a_contract_carries_it() -> None:
    with pytest.raises(Reverted) as refused:
        Chain(guard=False).deploy(Heap).refuse()
    assert refused.value.__cause__ == Mixed([Colour.RED])
