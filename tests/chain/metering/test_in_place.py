"""Contracts run on the functions that their author wrote: tools see them, and what a test changes there takes effect."""

from __future__ import annotations

import ast
import bdb
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from chain import Chain, reverts
from chain.errors import Reverted
from chain.simulator.handle import Handle
from tests.chain.metering.conftest import Load

ROOT = Path(__file__).parents[3]
RULES = """
LIMIT = 9

class Piece:
    def __init__(self, size):
        self.size = size

    def grown(self):
        return self.size + 1

def check(size):
    for _ in range(size):
        pass
    if size > LIMIT:
        raise ValueError("too big")
"""
BOARD = """
import rules
from rules import Piece

class Board(Contract):
    total: u64

    @call
    def lay(self, size: u64) -> u64:
        rules.check(size)
        self.total += size
        return Piece(size).grown()
"""
FAILING = RULES.splitlines().index('        raise ValueError("too big")') + 3  # under the head


@pytest.fixture
def board(load: Load, chain: Chain) -> Handle:
    return chain.deploy(load(rules=RULES, board=BOARD).Board)


@pytest.fixture
def rules(board: Handle) -> Any:
    return sys.modules["rules"]


# What a test changes


def test_patched_function_runs(board: Handle, rules: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "check", lambda size: None)
    assert board.lay(10).return_value == 11
    monkeypatch.undo()
    with reverts("too big"):
        board.lay(10)


def test_patched_constant_counts(
    board: Handle, rules: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "LIMIT", 3)
    with reverts("too big"):
        board.lay(4)


def test_patched_method_runs(board: Handle, rules: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules.Piece, "grown", lambda self: self.size + 100)
    assert board.lay(1).return_value == 101


def test_patched_entry_runs(board: Handle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board.contract, "lay", lambda self, size: 77)
    assert board.lay(1).return_value == 77
    assert board.fields.total == 0
    monkeypatch.undo()
    assert board.lay(1).return_value == 2


# Tools


class Stops(bdb.Bdb):
    """Notes where it stops."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, int]] = []

    def user_line(self, frame: Any) -> None:
        if self.break_here(frame):
            self.seen.append((Path(frame.f_code.co_filename).name, frame.f_lineno))
        self.set_continue()


def test_breakpoint_stops_in_the_authors_file(board: Handle, rules: Any) -> None:
    stops = Stops()
    assert stops.set_break(rules.__file__, FAILING - 1) is None
    stops.runcall(board.lay, 4)
    assert stops.seen == [("rules.py", FAILING - 1)]


def test_tracer_sees_the_authors_lines(board: Handle, rules: Any) -> None:
    lines = set()

    def trace(frame: Any, event: str, arg: object) -> Any:
        if frame.f_code.co_filename == rules.__file__ and event == "line":
            lines.add(frame.f_lineno)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        board.lay(1)
    finally:
        sys.settrace(before)
    assert {FAILING - 3, FAILING - 2, FAILING - 1} <= lines and FAILING not in lines


PLAY = """
import sys
sys.path[:0] = {root!r}, {folder!r}
import board, rules
from chain import Chain
if sys.argv[1] == "chain":
    Chain().deploy(board.Board).lay(4)
else:
    rules.check(4)
    rules.Piece(4).grown()
"""


def test_coverage_sees_the_same_lines(board: Handle, tmp_path: Path) -> None:
    pytest.importorskip("coverage")
    (tmp_path / "play.py").write_text(PLAY.format(root=str(ROOT), folder=str(tmp_path)), "utf-8")
    assert covered(tmp_path, "chain") == covered(tmp_path, "module") != []


def covered(folder: Path, how: str) -> list[int]:
    command = [sys.executable, "-m", "coverage", "run", "--data-file", how, "play.py", how]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    from coverage import CoverageData

    data = CoverageData(str(folder / how))
    data.read()
    return sorted(data.lines(str(folder / "rules.py")) or [])


def test_failure_names_the_authors_line(board: Handle) -> None:
    with pytest.raises(Reverted) as caught:
        board.lay(10)
    assert caught.value.error.place.endswith(f"rules.py:{FAILING}")


# Constructs in what a contract reaches: each entry answers what Python answers.

REACHED = """
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property, partial, wraps

def doubled(function):
    @wraps(function)
    def inner(*args):
        return 2 * function(*args)
    return inner

def adder(n):
    def add(m):
        return n + m
    return add

@doubled
def decorated(n):
    return n + 1

add_three = adder(3)
add_four = partial(sum, (4,)) if False else partial(int.__add__, 4)
square = lambda n: n * n

class Kind(Enum):
    LOW = 1
    HIGH = 2

    @property
    def next(self):
        return Kind.HIGH if self is Kind.LOW else Kind.LOW

@dataclass(frozen=True)
class Card:
    n: int
    marks: list = field(default_factory=list)

    @cached_property
    def square(self):
        return self.n * self.n

    @staticmethod
    def of(n):
        return Card(n)

    @classmethod
    def next(cls, n):
        return cls(n + 1)

def countdown(n):
    while n:
        yield n
        n -= 1

def matched(thing):
    match thing:
        case Card(n=0):
            return "none"
        case Card(n=n) if n < 0:
            return f"less {n}"
        case [first, *rest]:
            return f"{first}+{len(rest)}"
        case {"a": a, **others}:
            return f"{a}{others}"
        case Kind.LOW | Kind.HIGH as kind:
            return kind.name
    return "other"

def inner_class(n):
    class Pair:
        def __init__(self):
            self.n = n
        def __add__(self, other):
            return self.n + other.n
    return Pair() + Pair()

def caught(n):
    try:
        return 10 // n
    except ZeroDivisionError:
        return -1
    finally:
        n += 1
"""
ANSWERS = {
    "decorated(3)": 8,
    "add_three(4)": 7,
    "add_four(4)": 8,
    "square(5)": 25,
    "Kind.LOW.next.name": "HIGH",
    "Card(3).square + Card.of(2).n + Card.next(2).n": 14,
    "[*countdown(3)]": [3, 2, 1],
    "sum(countdown(4))": 10,
    "[matched(x) for x in (Card(0), Card(-2), [1, 2, 3], {'a': 1, 'b': 2}, Kind.LOW, 7)]": [
        "none", "less -2", "1+2", "1{'b': 2}", "LOW", "other",
    ],
    "inner_class(6)": 12,
    "(caught(5), caught(0))": (2, -1),
    "[(a, b) for a in range(3) for b in range(a) if a + b > 1]": [(2, 0), (2, 1)],
    "{n: [m for m in range(n)] for n in range(3)}": {0: [], 1: [0], 2: [0, 1]},
    "(lambda n: (lambda m: n + m)(2))(1)": 3,
    "[f(1) for f in [adder(n) for n in (1, 2)]]": [2, 3],
}  # fmt: skip


def test_reached_code_does_what_it_does_in_python(load: Load) -> None:
    entries = "".join(
        f"\n    @view\n    def entry{i}(self) -> str:\n        return repr({code})\n"
        for i, code in enumerate(ANSWERS)
    )
    made = load(reached=f"{REACHED}\nclass Answers(Contract):{entries}")
    answers = Chain(guard=False).deploy(made.Answers)
    found = [getattr(answers, f"entry{i}")() for i in range(len(ANSWERS))]
    assert found == [repr(value) for value in ANSWERS.values()]


def test_code_keeps_its_shape(board: Handle, rules: Any) -> None:
    code = rules.check.__code__
    assert (code.co_filename, code.co_firstlineno) == (rules.__file__, FAILING - 4)
    assert ast.parse(Path(rules.__file__).read_text()).body[-1].lineno == FAILING - 4
    rules.check(3)  # outside of a chain too
    with pytest.raises(ValueError, match="too big"):
        rules.check(10)
