"""Sets keep the order of insertion: iteration gives the same under every hash seed.

Each paragraph of `orders.txt` is the body of an entry; `orders.expected.txt` has its result. What it takes
is the same under every hash seed, too.
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from chain import Chain
from chain.metering.ordered_sets import OrderedFrozenSet, OrderedSet

HERE = Path(__file__).parent
PARAGRAPHS = (HERE / "orders.txt").read_text("utf-8").strip().split("\n\n")
BODIES = dict(paragraph.split("\n", 1) for paragraph in PARAGRAPHS)
HEAD = """
from dataclasses import dataclass, field
from chain import Contract, call

TOP = set("dacb")

@dataclass(frozen=True)
class Card:
    name: str
    n: int

class Bag(set):
    pass

@dataclass
class Box:
    LETTERS = frozenset("dacb")
    seen: set[str] = field(default_factory=set)

class Walker(Contract):
"""
PLAY = """
import sys
from test_set_order import played
sys.stdout.write(played())
"""


def source(bodies: Iterable[str]) -> str:
    entries = []
    for number, body in enumerate(bodies):
        inner = body.replace("\n", "\n        ")
        entries.append(f"    @call\n    def entry{number}(self) -> str:\n        {inner}\n")
    return "\n".join([HEAD, *entries, f"COUNT = {len(entries)}", ""])


def played() -> str:
    """Return the result of each entry of the module `walker` in the working folder."""
    sys.path.insert(0, str(Path.cwd()))
    walker = importlib.import_module("walker")
    contract = Chain(guard=False).deploy(walker.Walker)
    receipts = [getattr(contract, f"entry{number}")() for number in range(walker.COUNT)]
    return "".join(
        f"{receipt.return_value} [{receipt.ticks} {receipt.gas_used}]\n" for receipt in receipts
    )


def play_under(seed: int, folder: Path) -> list[str]:
    paths = os.pathsep.join([str(HERE), *sys.path])
    found = subprocess.run(
        [sys.executable, "-c", PLAY],
        env={**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": paths},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert found.stderr == ""
    return found.stdout.splitlines()


def test_order_and_ticks_are_the_same_under_hash_seeds(
    tmp_path: Path, golden: Callable[[Path, str], None]
) -> None:
    (tmp_path / "walker.py").write_text(source(BODIES.values()), "utf-8")
    first = play_under(1, tmp_path)
    assert play_under(2, tmp_path) == first
    said = [line.rpartition(" [")[0] for line in first]
    golden(
        HERE / "orders.expected.txt",
        "".join(f"{title} {line}\n" for title, line in zip(BODIES, said, strict=True)),
    )


# Random programs. Each line makes a set of the sets `a`, `b`, `c`, changes one, or writes down what its order shows.

SETS_OF = """
{S}
set("{W}")
{{"{L}", "{L}", *S}}
{{letter for letter in S if letter != "{L}"}}
S | S
S & S
S - S
S ^ S
S.union("{W}", S)
S.intersection(S)
S.symmetric_difference("{W}")
dict.fromkeys("{W}").keys() | S
S - dict.fromkeys("{W}").keys()
set(map(str.lower, S))
set(frozenset("{W}") | S)
S.copy()
{{str(card.name) for card in {{Card(letter, len(S)) for letter in S}}}}
""".strip().splitlines()
STEPS = """
{N} = E
{N} |= E
{N} &= E
{N} ^= E
{N} -= E
{N}.add("{L}")
{N}.discard("{L}")
{N}.update("{W}", E)
out.append({N}.pop() if {N} else "")
out.extend(E)
out.append(str(E))
out += [letter + other for letter in E for other in E]
out += sorted(E, key=lambda letter: letter in E)
out.append(next(iter(E), ""))
out += [*E, *TOP, *Box.LETTERS]
any(out.append(letter) or letter == "{L}" for letter in E)
out.append(max(E, key=len, default=""))
out.append(repr({{letter: place for place, letter in enumerate(E)}}))
first, *rest = "", *E; out += rest
out.append(str(frozenset([frozenset(E), frozenset(E)])))
for letter in E: {N} = {N} ^ {{letter, "{L}"}}; out.append(letter)
""".strip().splitlines()


def random_program(random: Random) -> str:
    def filled(template: str, depth: int) -> str:
        words = {
            name: "".join(random.choices("abcdxyz", k=n)) for name, n in {"L": 1, "W": 5}.items()
        }
        text = template.format(N=random.choice("abc"), S="S", **words)
        return re.sub(r"\b[SE]\b", lambda _: expression(depth - 1), text)

    def expression(depth: int) -> str:
        return f"({filled(random.choice(SETS_OF), depth)})" if depth > 0 else random.choice("abc")

    lines = [filled(random.choice(STEPS), random.randrange(1, 4)) for _ in range(12)]
    start = 'out, a, b, c = [], set("dacb"), {"x", "a", "z"}, set()'
    return "\n".join([start, *lines, 'return " ".join(map(str, out))'])


def test_random_programs_are_the_same_under_hash_seeds(tmp_path: Path) -> None:
    programs = [random_program(Random(number)) for number in range(24)]
    (tmp_path / "walker.py").write_text(source(programs), "utf-8")
    first, *others = (play_under(seed, tmp_path) for seed in (1, 2, 3))
    for other in others:
        parted = [p for p, *lines in zip(programs, first, other, strict=True) if len({*lines}) > 1]
        assert parted == []


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
