"""Sets keep the order of insertion: iteration gives the same under every hash seed.

Each paragraph of `orders.txt` is the body of an entry; `orders.expected.txt` has its result. What it takes
is the same under every hash seed, too.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chain.metering.ordered_sets import OrderedFrozenSet, OrderedSet
from tests.chain.metering.playing import play_under, write_walker

HERE = Path(__file__).parent
PARAGRAPHS = (HERE / "orders.txt").read_text("utf-8").strip().split("\n\n")
BODIES = dict(paragraph.split("\n", 1) for paragraph in PARAGRAPHS)
HEAD = """
import copy
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from chain import Contract, call

TOP = set("dacb")

@dataclass(frozen=True)
class Card:
    name: str
    n: int

@dataclass
class Box:
    LETTERS = frozenset("dacb")
    seen: set[str] = field(default_factory=set)
"""


def test_order_and_ticks_are_the_same_under_hash_seeds(
    tmp_path: Path, golden: Callable[[Path, str], None]
) -> None:
    write_walker(tmp_path, HEAD, BODIES.values())
    first = play_under(1, tmp_path)
    assert play_under(2, tmp_path) == first
    said = [line.rpartition(" [")[0] for line in first[:-1]]
    golden(
        HERE / "orders.expected.txt",
        "".join(f"{title} {line}\n" for title, line in zip(BODIES, said, strict=True)),
    )


# Beside the order, they do what Python's own do.

SETS = [[], [1], [3, 1, 2], [2, 5], [1, 2, 3, 4]]
READ = """
a | b, a & b, a - b, a ^ b
a == b, a != b, a < b, a <= b, a > b, a >= b, a.isdisjoint(b)
a.union(b, [7]), a.intersection(b, [1, 2]), a.difference(b, [1]), a.symmetric_difference([*b])
a.issubset([*b]), a.issuperset([*b]), len(a), bool(a), 1 in a, sorted(a), hash(frozenset(a))
a | {9}, {9} | a, {1, 9} & a, {1, 9} - a, {1, 9} ^ a, a | frozenset(b), frozenset(b) | a
a.copy(), {**dict.fromkeys(a)}
{a: 1}[b] if a == b else 0
"""
CHANGES = """
a.add(9); a.add(1)
a.discard(1); a.discard(77)
a.update(b, [8]); a.update()
a.intersection_update(b); a.add(1)
a.difference_update(b, a)
a.symmetric_difference_update(b)
a |= b; a -= {1}; a ^= {5, 6}; a &= {5, 6, 2}
a.clear()
a.remove(1)
a.remove(77)
a.__init__([4, 4])
a |= [1]
"""


@pytest.mark.parametrize("code", READ.strip().splitlines())
@pytest.mark.parametrize("kinds", [(OrderedSet, set), (OrderedFrozenSet, frozenset)])
def test_ordered_set_is_read_like_a_plain_one(code: str, kinds: tuple[type, type]) -> None:
    for one in SETS:
        for other in SETS:
            found, expected = (_eval(code, {"a": kind(one), "b": kind(other)}) for kind in kinds)
            assert found == expected


def _eval(code: str, space: dict[str, object]) -> object:
    try:
        return eval(code, space)
    except TypeError as no:
        return type(no)


@pytest.mark.parametrize("code", CHANGES.strip().splitlines())
def test_ordered_set_changes_like_a_plain_one(code: str) -> None:
    for one in SETS:
        for other in SETS:
            spaces: list[dict[str, Any]] = [
                {"a": kind(one), "b": kind(other)} for kind in (OrderedSet, set)
            ]
            for space in spaces:
                try:
                    exec(code, space)
                except (TypeError, KeyError) as no:
                    space["b"] = type(no)
            assert spaces[0]["a"] == spaces[1]["a"] == {*spaces[0]["a"]}
            assert list(spaces[0]["a"]) == list(spaces[0]["a"]._order)
            assert spaces[0]["b"] == spaces[1]["b"]
