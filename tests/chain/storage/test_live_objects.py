"""What is read from storage is live: adversaries, one by one, most of them beside the same class as a plain object."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pytest

from chain import Account, Address, Chain, Contract, Reverted, call, view
from chain.types import u8, u64
from tests.chain.storage.drawn_programs import Program
from tests.chain.storage.test_differential import compare

CLASS = """
class Drawn(Contract):
    row: list[u8]
    other: list[u8]
    players: list[Player]
    grid: list[list[u8]]
    hands: dict[str, list[Card]]
    seats: dict[str, Player]
    seen: set[u8]
    one: Player

    @init
    def new(self) -> None:
        self.row, self.other = [1, 2, 3], [4]
        self.players = [Player("a", 1, [1]), Player("b", 2, [2]), Player("c", 3, [3])]
        self.grid = [[1, 2], [3, 4], [5, 6]]
        self.hands = {"a": [Card(Suit.SUN, 1)], "b": [Card(Suit.MOON, 2)]}
        self.seats = {"a": Player("a", 1, [1]), "b": Player("b", 2, [2])}
        self.seen, self.one = {1, 2}, Player("e", 0, [7])

    def shift(self):
        self.players.pop(0); self.players[0].score += 10; self.players.append(Player("new", 0, []))
        self.grid.insert(0, [9]); self.grid[1].append(8); self.row.insert(0, 9)
        self.seats["b"].hand.append(5); del self.seats["a"]; self.hands["c"] = self.hands.pop("a")
        self.hands["c"].clear(); self.seen.discard(1); self.one = Player("f", 1, [])

    def m0(self):
        self.shift()

    def m1(self):
        self.shift()
        raise ValueError

    def m2(self):
        self.shift()
        try:
            send(self, 'fail', 0, 0)
        except Revert:
            note("failed")
        self.players[-1].score += 1
"""

HOLD = """
player, last, row, top = self.players[1], self.players[-1], self.row, self.grid[0]
seat, gone, hand, one = self.seats["b"], self.seats["a"], self.hands["a"], self.one
"""
CHANGE = """
player.score += 100; last.hand.append(4); row.append(7); top.append(6); one.score += 1
seat.score += 50; gone.score += 50; hand.append(Card(Suit.SUN, 7)); self.seen.add(40)
note([player, last, row, top, seat, gone, hand, one, self.players, self.grid, self.seats, self.hands])
"""


def run(*bodies: str) -> None:
    """Compare methods with these bodies, called one after another: they are numbered from 3 on."""
    source = CLASS
    for number, body in enumerate(bodies, 3):
        lines = "\n".join(f"        {line}" for line in body.strip().splitlines())
        source += f"\n    def m{number}(self):\n{lines}\n"
    calls = [(number, False) for number in range(3, 3 + len(bodies))] * 2
    compare(Program(source, 3 + len(bodies), calls[:-1]), must_run=True)


SENDS = [
    "back', 0, 0",
    "catch', 1, 0",
    "catch', 0, 1",
    "catch', 1, 2",
    "both', 0, 0",
    "both', 2, 0",
    "fail', 0, 0",
    "both', 0, 1",
]


@pytest.mark.parametrize("how", SENDS)
def test_change_after_message_inside_shifted_it(how: str) -> None:
    send = f"try:\n    send(self, '{how})\nexcept Revert:\n    note('failed')"
    run(f"{HOLD}\n{send}\n{CHANGE}", "note([self.players, self.grid, self.row])")
    run(f"{HOLD}\nplayer.score += 1; self.row = [5]; row.append(4); hand.pop()\n{send}\n{CHANGE}")


@pytest.mark.parametrize("how", SENDS)
def test_what_was_let_go_before_message_inside(how: str) -> None:
    send = f"try:\n    send(self, '{how})\nexcept Revert:\n    note('failed')"
    run(
        'a, b = self.hands["a"], self.hands["b"]; self.hands["a"], self.hands["b"] = b, a\n'
        f"first = self.grid.pop(0); self.grid.append(first)\n{send}\n"
        "a.append(Card(Suit.SUN, 6)); first.append(7); note([a, b, first, self.grid, self.hands])"
    )


@pytest.mark.parametrize(
    "body",
    [
        "hand = []; self.row = hand; hand.append(5); note(self.row is hand)",
        "hand = []; self.hands['z'] = hand; hand.append(Card(Suit.SUN, 3))",
        "self.hands['a'], self.hands['b'] = self.hands['b'], self.hands['a']",
        "a = self.hands['a']; self.hands['a'] = []; a.append(Card(Suit.SUN, 3)); note(a)",
        "top = self.grid.pop(0); top.append(9); note([top, self.grid])",
        "top = self.grid[0]; self.grid = []; top.append(9); note(top); self.grid.append(top)",
        "top = self.grid[0]; self.grid.clear(); top.append(9); note(top)",
        "seat = self.seats['a']; del self.seats['a']; seat.score = 40; note([seat, self.seats])",
        "seat = self.seats.pop('a'); seat.score = 40; self.seats['c'] = seat; seat.hand.append(3)",
        "row = self.row; self.row = self.other; self.other = row; row.append(8)",
        "self.one.hand, self.players[0].hand = self.players[0].hand, self.one.hand",
        "copied = list(self.row); self.row.append(9); note([copied, self.row])",
        "self.grid[0], *rest = self.grid[1:]; self.grid[1] = [0]; note(self.grid)",
        "self.grid[0][0], self.grid[1][0] = self.grid[1][0], self.grid[0][0]; self.grid[:] = self.grid[::-1]",
        "for row in self.grid: row.append(self.grid[0].pop() if self.grid[0] else 0)",
        "for player in self.players: self.players[-1].hand.append(player.score)",
        "self.row[:] = [n for n in self.row for _ in range(9)]; del self.row[5:20]; self.row.pop(); note(self.row)",
        "try:\n    self.one.score = 6; self.row.clear(); raise ValueError\nexcept ValueError:\n    note(self.one)",
    ],
)
def test_objects_move_as_in_python(body: str) -> None:
    run(body, "note([self.row, self.grid, self.hands])")


# What is refused


@dataclass
class Hand:
    name: str
    cards: list[u8]

    def __post_init__(self) -> None:
        self.cards.sort()

    @cached_property
    def total(self) -> int:
        return sum(self.cards)


@dataclass
class Pair:
    left: Hand
    right: Hand
    marks: list[u8] = field(default_factory=list)


class Table(Contract):
    row: list[u8]
    other: list[u8]
    rows: list[list[u8]]
    one: Hand
    two: Hand
    pair: Pair
    hands: dict[str, Hand]
    seen: set[u8]
    points: dict[u64, u64]

    @call(nonreentrant=False)
    def work(self) -> None:
        job[0](self)

    @view
    def look(self) -> None:
        job[0](self)


job: list[Callable[[Any], object]] = []


@pytest.fixture
def table() -> Any:
    return Chain(guard=False).deploy(Table)


def work(table: Any, what: Callable[[Any], object]) -> Any:
    job[:] = [what]
    return table.work(gas=29_000_000)


def share_list(me: Any) -> None:
    me.row = []
    me.other = me.row


def share_row(me: Any) -> None:
    row = [1]
    me.rows = [row, row]


def share_hand(me: Any) -> None:
    me.hands["a"] = me.one


def share_inside(me: Any) -> None:
    me.pair.left.cards = me.pair.marks


def share_popped(me: Any) -> None:
    me.rows = [[1], [2]]
    me.rows.append(me.rows.pop(0))
    me.row = me.rows[1]


SHARED: list[tuple[Callable[[Any], object], str]] = [
    (share_list, "Table.row and Table.other"),
    (share_row, r"Table.rows\[0\] and Table.rows\[1\]"),
    (share_hand, r"Table.one and Table.hands\['a'\]"),
    (share_inside, "Table.pair.left.cards and Table.pair.marks"),
    (share_popped, r"Table.rows\[1\] and Table.row|Table.row and Table.rows\[1\]"),
]


@pytest.mark.parametrize(("what", "places"), SHARED)
def test_object_at_two_places_is_refused(
    table: Any, what: Callable[[Any], object], places: str
) -> None:
    with pytest.raises(Reverted, match=f"({places}) are one object"):
        work(table, what)
    assert table.fields.row == []


def test_object_at_two_places_between_is_not_refused(table: Any) -> None:
    def move(me: Any) -> None:
        me.one.cards.append(3)
        me.two = me.one
        me.one = Hand("new", [])

    work(table, move)
    assert (table.fields.one, table.fields.two.cards) == (Hand("new", []), [3])


def too_big(me: Any) -> None:
    hand = me.hands["a"] = Hand("a", [1])
    hand.cards.append(300)  # the line before is told


def of_wrong_class(me: Any) -> None:
    me.pair.left.cards = (1, 2)


def misspelt(me: Any) -> None:
    me.pair.right.nmae = "x"


WRONG: list[tuple[Callable[[Any], object], str]] = [
    (too_big, r"Table.hands\['a'\].cards\[1\] = 300 does not fit u8"),
    (of_wrong_class, r"Table.pair.left.cards = \(1, 2\) is not list of u8"),
    (misspelt, "Table.pair.right.nmae would be lost: Hand has no field 'nmae'"),
]


@pytest.mark.parametrize(("what", "text"), WRONG)
def test_what_does_not_fit_is_refused_with_its_line(
    table: Any, what: Callable[[Any], object], text: str
) -> None:
    with pytest.raises(Reverted, match=text) as refused:
        work(table, what)
    line = what.__code__.co_firstlineno + 1
    assert f"test_live_objects.py:{line})" in str(refused.value)


def test_refusal_before_a_message_cannot_be_caught(table: Any) -> None:
    def go(me: Any) -> None:
        me.one.cards.append(300)
        for _ in range(2):
            try:
                me.at(Table, me.address).work()
            except Exception:
                me.one.cards.clear()

    with pytest.raises(Reverted, match=r"Table.one.cards\[0\] = 300 does not fit u8"):
        work(table, go)


CHANGES: list[tuple[Callable[[Any], object], str]] = [
    (lambda me: me.row.append(1), "Table.row"),
    (lambda me: me.one.cards.append(1), "Table.one"),
    (lambda me: setattr(me.pair.left, "name", "x"), "Table.pair"),
    (lambda me: me.hands.update(a=Hand("", [])), r"Table.hands\['a'\]"),
    (lambda me: setattr(me, "rows", [[1]]), r"Table.rows"),
    (lambda me: me.seen.add(3), "Table.seen"),
    (lambda me: me.points.update({3: 4}), r"Table.points\[3\]"),
]


@pytest.mark.parametrize(("what", "place"), CHANGES)
def test_view_cannot_change(table: Any, what: Callable[[Any], object], place: str) -> None:
    job[:] = [what]
    with pytest.raises(Reverted, match=f"Table.look is a view and cannot change {place} "):
        table.look()


def test_reading_runs_no_post_init(table: Any) -> None:
    def unsort(me: Any) -> None:
        me.one = Hand("a", [3, 1])
        me.one.cards.append(0)
        assert me.one.total == 4

    work(table, unsort)
    read: list[list[int]] = []
    work(table, lambda me: read.append([*me.one.cards]))
    assert read == [[1, 3, 0]]


def test_big_dict_costs_what_is_touched(table: Any) -> None:
    def fill(me: Any) -> None:
        for key in range(100):
            me.points[len(me.points)] = key + 1

    small = Chain(guard=False).deploy(Table)
    work(small, fill)
    for _ in range(20):
        work(table, fill)

    def touch(me: Any) -> None:
        me.points[50] += 1
        del me.points[40]
        me.points[40] = 1
        del me.points[41]

    costs = [work(each, touch).gas_used for each in (small, table)]
    assert costs[0] == costs[1]
    assert [*table.fields.points][-1] == 40


def test_emptied_collections_leave_nothing(table: Any) -> None:
    def fill(me: Any) -> None:
        me.rows, me.seen = [[1], [], [2, 3]], {1, 2}
        me.points.update({n: n + 1 for n in range(9)})
        me.hands["a"] = Hand("a", [1, 2])
        me.row.extend(range(70))

    def empty(me: Any) -> None:
        for n in (3, 5, 4, 8, 0, 7):
            del me.points[n]
        me.rows[0] = [4, 5]
        me.rows.clear(), me.points.clear(), me.hands.clear(), me.row.clear(), me.seen.clear()

    work(table, fill)
    work(table, empty)
    assert not table.chain.state.storages[table.address]


# From outside


@dataclass
class Score:
    points: u8


class Rack(Contract):
    scores: dict[Address, Score]
    row: list[u8]

    @call
    def go(self) -> None:
        self.scores.setdefault(self.caller, Score(1)).points += 1
        self.row.append(7)


def test_what_is_set_in_place_is_there_before_the_next_call(chain: Chain, alice: Account) -> None:
    rack = chain.deploy(Rack)
    rack.go(sender=alice)
    with chain.setting():
        rack.fields.scores[alice].points = 9
        row = rack.fields.row
        row.append(1)
        rack.go(sender=alice)
        assert rack.fields.scores[alice].points == 10
        assert row == [7, 1, 7]
        rack.fields.scores[alice].points = 50
    assert rack.fields.scores == {alice: Score(50)}


def test_outside_of_a_setting_nothing_can_be_assigned(chain: Chain, alice: Account) -> None:
    rack = chain.deploy(Rack)
    with pytest.raises(AttributeError, match="cannot be changed through its fields"):
        rack.fields.scores[alice] = Score(1)
