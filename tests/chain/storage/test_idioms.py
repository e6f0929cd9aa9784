"""What a Python programmer writes with lists, dicts, sets and records: each runs as a plain object and as a contract."""

from __future__ import annotations

import pytest

from tests.chain.storage.drawn_programs import Program
from tests.chain.storage.test_differential import compare

CLASS = """
from bisect import insort
from collections import Counter, defaultdict, deque
from dataclasses import replace
from functools import reduce
from itertools import accumulate, chain, groupby, pairwise
import copy
import heapq
import operator

class Drawn(Contract):
    row: list[u8]
    names: list[str]
    deck: list[Card]
    players: list[Player]
    grid: list[list[u8]]
    points: dict[str, u16]
    hands: dict[str, list[Card]]
    table: dict[str, dict[str, u8]]
    seats: dict[str, Player]
    seen: set[u8]
    words: set[str]
    groups: dict[str, set[u8]]
    one: Player
    team: Team
    best: Card | None
    dots: list[Dot]
    count: u8

    @init
    def new(self) -> None:
        self.row, self.names = [3, 1, 2], ["b", "a", "c"]
        self.deck = [Card(suit, rank) for suit in Suit for rank in range(1, 4)]
        self.players = [Player("ann", 5, [1, 2]), Player("bob", 3, [])]
        self.grid = [[0] * 3 for _ in range(3)]
        self.points, self.hands = {"ann": 3, "bob": 5}, {"ann": self.deck[:2], "bob": []}
        self.table, self.seats = {"x": {"y": 1}}, {"ann": Player("ann", 1, [])}
        self.seen, self.words, self.groups = {1, 2, 3}, {"a", "b"}, {"odd": {1, 3}}
        self.one, self.team = Player("eve", 0, []), Team(Player("lea", 1, []), [Player("mia", 2, [9])], None)
        self.best, self.dots, self.count = None, [Dot(1, 2), Dot(3, 4)], 0

    def m0(self):
        def helper(value):
            nonlocal total
            total += value
            return value
        total = 0
"""

IDIOMS = """
self.deck.append(Card(Suit.SUN, 9)); note(len(self.deck))
card = self.deck.pop(); note(card); self.deck.insert(0, card)
self.row.sort(reverse=True); del self.row[2:]
self.row.sort(key=lambda n: -n); note(self.row)
self.row.reverse(); self.row += [7, 8]; note(self.row)
self.row *= 2; note(self.row.count(3))
self.row[1:2] = [9, 9, 9]; note(self.row[::-1])
self.row[:] = sorted(self.row); note(self.row == [1, 2, 3])
first, *rest = self.row; note([first, rest])
a, b, c = self.row; self.row = [c, b, a]
self.row = [n + 1 for n in self.row if n != 2]
self.row = self.row[1:] + self.row[:1]
self.row.remove(1); note(1 in self.row)
self.row.extend(n for n in range(3)); note(self.row.index(2))
note([self.row < [4], self.row >= [3, 1], [9] > self.row, self.row <= self.row])
note(sum(self.row)); note(max(self.row)); note(min(self.row)); note(sorted(self.row))
note(list(zip(self.row, self.names))); note(list(enumerate(self.names, 1)))
note([*reversed(self.row)]); note(any(n > 2 for n in self.row)); note(tuple(self.row))
note(list(map(str, self.row))); note(list(filter(None, self.row))); note(", ".join(self.names))
note(f"{self.row} {self.points} {self.one}"); note(repr(self.grid))
note(reduce(operator.add, self.row)); note(list(accumulate(self.row))); note(list(pairwise(self.row)))
note(list(chain(self.row, self.row))); note(list(chain.from_iterable(self.grid)))
note(dict(Counter(card.suit for card in self.deck))); note(Counter(self.points).most_common(1))
note({suit: len(list(cards)) for suit, cards in groupby(self.deck, key=lambda card: card.suit)})
insort(self.names, "bb"); note(self.names)
queue = [*self.row]; heapq.heapify(queue); heapq.heappush(queue, 0); self.row = queue; note(heapq.nsmallest(2, self.row))
queue = deque(self.row); queue.rotate(1); self.row = list(queue)
copied = copy.deepcopy(self.grid); copied[0][0] = 5; note([self.grid, copied])
copied = self.row.copy(); copied.append(1); note([self.row, copied, copy.copy(self.row)])
self.row.append(self.row.pop(0)); note(self.row)
while self.row: note(self.row.pop())
for n in list(self.row): self.row.remove(n)
for i, name in enumerate(self.names): self.names[i] = name.upper()
for n in self.row: helper(n)
self.row[self.row.index(3)] = 4; self.row[-1] += 1; self.row[0] -= 1
hand = self.row; hand.append(5); self.row = hand; note(self.row is hand)
self.row.clear(); note(not self.row); note(bool(self.row))
self.grid[1][2] = 1; self.grid[0][0] += 4; note(self.grid[1])
for row in self.grid: row[0] = 7
for y, row in enumerate(self.grid): self.grid[y] = [n + y for n in row]
self.grid = [list(row) for row in zip(*self.grid)]; self.grid[0][1] = 3
self.grid[0], self.grid[2] = self.grid[2], self.grid[0]
top = self.grid.pop(0); top[0] = 1; self.grid.append(top); note(self.grid)
note(all(cell == 0 for row in self.grid for cell in row)); note(sum(map(sum, self.grid)))
self.grid.append([1]); self.grid[-1].append(2); del self.grid[0][1]; note([len(row) for row in self.grid])
self.grid.sort(key=sum); self.grid.reverse(); self.grid.insert(1, [5, 5])
self.points["ann"] += 1; self.points["cid"] = 9; note(list(self.points))
del self.points["ann"]; note("ann" in self.points); note(self.points.get("ann", 7))
self.points["ann"] = self.points.pop("ann"); note(list(self.points.items()))
note(self.points.setdefault("eve", 4)); note(self.points.popitem()); note(len(self.points))
note(sum(self.points.values())); note(max(self.points, key=self.points.get))
note(sorted(self.points.items(), key=lambda pair: pair[1]))
self.points |= {"zoe": 1}; note(self.points | {"ann": 0}); note({"x": 1} | self.points)
self.points.update(ann=8, eve=1); self.points.update({"bob": 2}); note({**self.points})
self.points = {name: n + 1 for name, n in self.points.items()}
self.points = dict(sorted(self.points.items(), key=lambda pair: -pair[1])); note(list(self.points))
for name, n in self.points.items(): note((name, n))
for name in list(self.points): del self.points[name]
note(self.points == {"ann": 3, "bob": 5}); note(self.points.keys() & {"ann"}); note(list(self.points.values()))
note(list(reversed(self.points))); note(dict(zip(self.points, self.row))); note(self.points.pop("none", None))
self.hands.setdefault("cid", []).append(Card(Suit.SUN, 1)); note(self.hands)
hand = []; self.hands["dan"] = hand; hand.append(Card(Suit.MOON, 2)); note(self.hands["dan"])
hand = self.hands["ann"]; hand.remove(Card(Suit.SUN, 1)); self.hands["ann"] = hand
self.hands["ann"], self.hands["bob"] = self.hands["bob"], self.hands["ann"]; self.hands["bob"].pop()
self.hands["bob"] += self.hands.pop("ann"); note(self.hands)
for hand in self.hands.values(): hand.append(self.deck.pop())
self.hands = {name: sorted(cards, key=lambda card: -card.rank) for name, cards in self.hands.items()}
self.table["x"]["z"] = 2; self.table["w"] = {}; self.table["w"]["v"] = 3; note(self.table["x"].keys() | {"q"})
for inner in self.table.values(): inner.update(k=5)
inner = self.table.pop("x"); inner["y"] = 9; self.table["n"] = inner; note(self.table)
del self.table["x"]["y"]; note(self.table); note(self.table.get("none", {}).get("y"))
self.seen.add(9); self.seen.discard(1); self.seen.remove(2); note(sorted(self.seen))
self.seen |= {7}; self.seen &= {7, 3}; self.seen ^= {3, 4}; self.seen -= {4}; note(self.seen)
note(self.seen | {8}); note({8} - self.seen); note(self.seen <= {1, 2, 3}); note(self.seen.isdisjoint({4}))
mine = {1}; other = mine; mine |= self.seen; note(other); mine -= self.seen; note(other)
mine = [1]; other = mine; mine += self.row; note(other); note([1] + self.row)
self.words = {word * 2 for word in self.words}; note(self.words == {"aa", "bb"}); note("aa" in self.words)
self.groups["odd"].add(5); self.groups.setdefault("even", set()).add(2); note(self.groups)
self.groups["odd"] |= self.seen; note(self.groups["odd"] - self.seen)
self.one.score += 2; self.one.hand.append(4); note(self.one); note(self.one == Player("eve", 2, [4]))
player = self.seats["ann"]; player.score = 7; player.hand.extend([1, 2]); note(self.seats)
self.seats["bob"] = player = Player("bob", 0, []); player.score += 1
for player in self.seats.values(): player.hand.append(player.score)
self.players[0].hand.pop(0); self.players[-1].score += self.players[0].score; note(self.players)
self.players.sort(key=lambda player: player.score); self.players[0].name = "first"
winner = max(self.players, key=lambda player: player.score); winner.score = 50; note(self.players)
self.players = [player for player in self.players if player.score > 4]; self.players[0].score = 0
player = self.players.pop(); player.score = 99; self.players.insert(0, player)
player = self.players[0]; del self.players[0]; player.score = 77; note(self.players)
self.players.append(replace(self.players[0], name="new", hand=[])); note(self.players)
self.team.lead.hand.append(1); self.team.members[0].hand[0] = 3; self.team.best = Card(Suit.SUN, 3)
self.team.members.append(self.team.lead); self.team.lead = Player("new", 0, [])
self.team.lead, self.team.members[0] = self.team.members[0], self.team.lead
self.best = self.deck[0]; note(self.best is not None and self.best.rank); self.best = replace(self.best, rank=7)
dot = self.dots[0]; dot.x, dot.y = dot.y, dot.x; self.dots[1].x += 1; note([(dot.x, dot.y) for dot in self.dots])
note([card for card in self.deck if card.suit is Suit.MOON])
note(Card(Suit.SUN, 1) in self.deck); note(set(self.deck) == {*self.deck})
self.deck = [card for card in self.deck for _ in range(2)]; note(self.deck[3:5])
self.row.append(300 - 297); self.count = len(self.row); self.count += self.row[-1]
""".strip().splitlines()

BLOCKS = [
    """
match self.row:
    case [a, b, *rest]:
        note([a, b, rest])
match self.points:
    case {"ann": score, **others}:
        note([score, others])
match self.one:
    case Player(name="eve", hand=[]):
        note("empty")
""",
    """
try:
    self.row.append(5)
    self.points["x"] = 1
    self.one.score = 5
    raise ValueError
except ValueError:
    note([self.row, self.points, self.one])
""",
    """
def walk():
    for player in self.players:
        player.score += 1
        yield player.score
for score in walk():
    note(score)
    send(self, 'catch', 1, 1)
""",
    """
numbers = iter(self.row)
note(next(numbers))
self.row.append(8)
note([*numbers])
""",
    """
for name in self.points:
    self.points[name] += 1
try:
    for name in self.points:
        self.points[name * 2] = 1
except RuntimeError:
    note(len(self.points))
""",
    """
for item in (self.row, self.deck, self.points, self.seen):
    try:
        item.remove(77)
    except (ValueError, KeyError, AttributeError) as error:
        note(type(error).__name__)
    for key in (99, "none", None):
        try:
            note(item[key])
        except (LookupError, TypeError, AttributeError) as error:
            note(type(error).__name__)
        note(key in item)
""",
]


@pytest.mark.parametrize("body", [*IDIOMS, *BLOCKS])
def test_idiom_does_the_same(body: str) -> None:
    lines = body.strip().splitlines()
    source = CLASS + "\n".join(f"        {line}" for line in lines)
    other = "\n    def m1(self):\n        self.players[0].score += 1\n        self.row.append(1)\n"
    compare(Program(source + "\n" + other, 2, [(0, False), (1, False), (0, False)]), must_run=True)
