"""A hundred random programs of honest Python give equal results, ticks, gas and hashes: under hash seeds, on other Pythons."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from textwrap import indent

from tests.chain.metering.playing import other_pythons, play_under, write_walker

HEAD = """
from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import reduce
from chain import Contract, call

class Colour(Enum):
    RED = 0
    GREEN = 1
    BLUE = 2

@dataclass(frozen=True, order=True)
class Card:
    suit: str
    rank: int

@dataclass
class Pile:
    items: list[int] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)

    def add(self, n: int) -> None:
        self.items.append(n)
        self.seen.add(n)

    @property
    def total(self) -> int:
        return sum(self.items) + len(self.seen)

    def __iter__(self) -> Iterator[int]:
        yield from self.items
        yield from self.seen

def depth(n: int) -> int:
    return 1 + depth(n - 1) + (depth(n - 2) if n % 3 == 0 else 0) if n > 0 else 0

def flat(rows: list) -> list[int]:
    return [n for row in rows for n in (flat(row) if isinstance(row, list) else [row])]

def pairs(items: list[int]) -> Iterator[int]:
    for i, n in enumerate(items):
        for m in items[:i]:
            yield n - m

def classify(thing: object) -> str:
    match thing:
        case 0 | 1:
            return "few"
        case int(n) if n < 0:
            return f"below {n}"
        case int():
            return "many"
        case str() as text if text > "m":
            return text[:2]
        case []:
            return "empty"
        case [first, *rest]:
            return f"{first} and {len(rest)}"
        case {"a": n}:
            return f"a={n}"
    return "other"
"""
# Expressions and statements, by kind: a number, a text, a list of numbers, words, a dict, a set of texts, a statement.
KINDS = {
    "I": """a|b|7|len(@T)|len(@L)|sum(@L)|max(@L, default=3)|@I + @I|@I - @I|@I * 3|@I // 2|abs(@I) % 11|min(@I, @I)
        depth(abs(@I) % 9)|@D.get(@T[:1], 4)|sum(n for n in @L if n % 2)|len(@S)|int(str(abs(@I))[:3])|Pile(@L).total
        reduce(lambda m, n: m ^ n, @L, 1)|@I if @I > @I else @I|-@I|divmod(@I, 5)[1]|ord((@T + 'q')[0])|int(@T in @W)
        sum(n == m for n, m in zip(@L, @L))|bool(@L) + 1""",
    "T": """t|u|'xyz'|@T + @T|@T[::-1]|@T.upper()|@T[:@I % 5]|'-'.join(@W)|f'{a}:{t!r} {b:>3}'|str(@L)|''.join(sorted(@T))
        @T.replace('a', 'bb')|classify(@I)|classify(@L)|classify(@T)|classify(@D)|repr(Card(@T[:2], @I % 13))
        '%s/%s' % (@T, @I)|'yes' if @T < @T else 'no'|next(iter(@W), 'none')|Colour(abs(@I) % 3).name|str(@S)|str(@D)
        max(@W, key=len, default='')|@T.strip('x').title()""",
    "L": """xs|ys|[@I, @I]|sorted(@L)|sorted(@L, key=lambda n: (n % 3, -n))|[n * 2 for n in @L]|@L[1:]|@L + @L
        [n for n in @L if n != @I]|[*range(@I % 6)]|list(reversed(@L))|[len(w) for w in @W]|list(map(abs, @L))
        [m + n for m, n in zip(@L, @L)]|[i * n for i, n in enumerate(@L)]|[*pairs(@L)]|list(Pile(@L))|[*@D.values()]
        [card.rank for card in sorted(cards)]|[c.rank for c in sorted(cards, key=lambda c: c.suit)]|flat([@I, [@I, @L]])
        [n for row in [@L, @L] for n in row]|list(deque(@L, 3))""",
    "W": "list(@T)|sorted(@D)|[*@S]|@T.split('a')|[str(n) for n in @L]|[k for k, _ in @D.items()]|sorted(@S, key=len)",
    "D": """d|{c: i for i, c in enumerate(@T)}|{**@D, @T[:1]: @I}|dict(zip(@W, @L))|dict(Counter(@T))
        dict(sorted(@D.items(), key=lambda item: item[1]))|dict.fromkeys(@S, @I)""",
    "S": """s|set(@T)|{c for c in @T}|@S | @S|@S & @S|@S - @S|@S ^ set(@W)|{@T[:1], @T[:2]}|set(@D)|@S.union(@W, @S)
        @S.intersection(@W)|@S.symmetric_difference(@W)|@D.keys() | @S|@S - @D.keys()|{*@W, *@S}|@S.copy()
        set(frozenset(@T) | @S)|{card.suit for card in {Card(c, len(@S)) for c in @T}}|set(map(str.lower, @S))""",
}  # fmt: skip
CHOICES = {
    kind: [part for line in text.split("\n") for part in re.split(r"(?<! )\|(?! )", line.strip())]
    for kind, text in KINDS.items()
}
STATEMENTS = r"""
a = (@I) % 1000
b = (@I) % 97
t = (@T)[:9]
u = (@T)[:9]
xs = (@L)[:7]
ys = [n % 100 for n in @L][:7]
d = dict([*(@D).items()][:6])
s = @S
out.append(@I)
out.append(@T)
out.extend((@L)[:5])
xs.append(@I % 50)
del xs[:1]
d[(@T)[:1]] = @I % 31
d.pop((@T)[:1], None)
s.add((@T)[:1])
s.discard((@T)[:1])
s |= @S
s &= @S
s ^= @S
s.update(@W, @S)
out.append(s.pop() if s else "")
first, *rest = "", *@S; out.extend(rest)
any(out.append(c) or c == "a" for c in @S)
out.append(str(frozenset([frozenset(@S), frozenset(@S)])))
cards.append(Card((@T)[:1], @I % 13))
cards.sort(reverse=True)
n, *rest = [0, *@L]; out.append(len(rest))
pile = Pile(@L); pile.add(@I % 9); out.extend([*pile][:6])
rows = defaultdict(list)\nfor n in @L: rows[n % 3].append(n)\nout.append(str(dict(rows)))
for n in (@L)[:4]:\n    ...
for _ in range(@I % 4):\n    ...
for c in @S:\n    out.append(c)
for k, v in (@D).items():\n    out.append(k * 2 + str(v))
if @I > @I:\n    ...\nelse:\n    ...
try:\n    out.append((@L)[@I % 5])\nexcept IndexError:\n    ...
total = 0\nfor i, n in enumerate(@L):\n    if n < 0: continue\n    total += n * i\nout.append(total)
turns = @I % 9\nwhile turns:\n    turns //= 2\n    out.append(turns)
""".strip().splitlines()
START = """out, a, b, t, u, xs, ys = [], 3, 5, "abc", "xya", [4, 1, 3], [2, 2]
d, s, cards = {"a": 1, "z": 2}, {"k", "c", "x"}, [Card("b", 2), Card("a", 9)]"""


def random_program(random: Random) -> str:
    def filled(template: str, depth: int) -> str:
        return re.sub("@([A-Z])", lambda found: expression(found[1], depth), template)

    def expression(kind: str, depth: int) -> str:
        choices = CHOICES[kind]
        if depth <= 0:
            choices = [choice for choice in choices if "@" not in choice] or ["list(t)"]
        return f"({filled(random.choice(choices), depth - 1)})"

    def statement(depth: int) -> str:
        text = random.choice(STATEMENTS).replace("\\n", "\n")
        while "    ..." in text:
            inner = statement(depth - 1) if depth else "a += 1"
            text = text.replace("    ...", indent(inner, "    "), 1)
        return filled(text, 3)

    lines = [statement(2) for _ in range(12)]
    return "\n".join([START, *lines, "return ' '.join(map(str, out))"])


def test_hundred_programs_are_the_same_everywhere(tmp_path: Path) -> None:
    programs = [random_program(Random(number)) for number in range(100)]
    write_walker(tmp_path, HEAD, programs)
    first = play_under(1, tmp_path)
    assert len(first) == 101
    assert len({*first}) > 95  # they differ from each other
    for seed, python in [(2, None), (3, None), *((4, python) for python in other_pythons())]:
        other = play_under(seed, tmp_path, python) if python else play_under(seed, tmp_path)
        parted = [p for p, *lines in zip(programs, first, other, strict=False) if len({*lines}) > 1]
        assert parted == []
        assert other[-1] == first[-1]
