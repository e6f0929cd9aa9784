"""The identity of a contract follows what it does: rules, constants and data, not the layout of the text."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from chain import Chain
from chain.metering.program import program_of
from tests.chain.game_folders import GAMES
from tests.chain.metering.conftest import HEAD, Load
from tests.chain.metering.playing import ROOT, other_pythons

RULES = '''"""The rules."""
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

DECK = Path(__file__).with_name("deck.txt").read_text("utf-8").split()
LIMIT = 9


class Colour(Enum):
    RED = DECK[0]
    BLUE = DECK[1]


@dataclass(frozen=True)
class Piece:
    colour: Colour
    size: int = 2

    def grown(self, by=1):
        return self.size + by


def limited(most):
    def check(n):
        """Return True if it is small."""
        print(n)
        return n < most
    return check


is_small = limited(LIMIT)
find = DECK.index


def unused(n):
    return n
'''
BOARD = """
import rules
from rules import Colour, Piece

class Board(Contract):
    total: u64

    @call
    def lay(self, size: u64) -> str:
        assert rules.is_small(size)
        self.total += Piece(Colour.RED, size).grown()
        return Colour.RED.value
"""
SAME = [
    ("LIMIT = 9", "LIMIT = (9)  # at most"),
    ('"""The rules."""', '"""Other words."""'),
    ('"""Return True if it is small."""', '"""Small or not."""'),
    ("        print(n)\n", ""),
    ("    return n\n", "    return n + 1\n"),
    ("def unused(n):", "\n\n\n# a comment\ndef unused(n):"),
    ("        return n < most", "        return (n\n                < most)"),
    ("find = DECK.index", "find = DECK.count"),
]
OTHER = [
    ("LIMIT = 9", "LIMIT = 8"),
    ("n < most", "n <= most"),
    ("by=1", "by=2"),
    ("self.size + by", "self.size - by"),
    ("    BLUE =", "    AZURE ="),
    ("size: int = 2", "size: int = 3"),
    ("is_small = limited(LIMIT)", "is_small = limited(12)"),
    ("is_small = limited(LIMIT)", "is_small = lambda n: n < LIMIT"),
    ("is_small = limited(LIMIT)", "from functools import partial\nis_small = partial(int.__gt__, 9)"),
]  # fmt: skip


@pytest.fixture
def board(load: Load, tmp_path: Path) -> Any:
    (tmp_path / "deck.txt").write_text("ace king", "utf-8")

    def write(old: str = "", new: str = "", contract: str = BOARD) -> Any:
        assert old in RULES
        rules = RULES.replace(old, new) if old else RULES
        return load(head="", rules=rules, board=HEAD + contract).Board

    return write


@pytest.mark.parametrize(("old", "new"), SAME)
def test_words_around_keep_the_digest(board: Any, old: str, new: str) -> None:
    before = program_of(board()).digest
    assert program_of(board(old, new)).digest == before


@pytest.mark.parametrize(("old", "new"), OTHER)
def test_rules_make_the_digest(board: Any, old: str, new: str) -> None:
    before = program_of(board()).digest
    assert program_of(board(old, new)).digest != before


def test_data_file_is_in_the_digest(board: Any, tmp_path: Path) -> None:
    """Here only as the value of a member."""
    before = program_of(board()).digest
    (tmp_path / "deck.txt").write_text("ace queen", "utf-8")
    assert program_of(board()).digest != before
    (tmp_path / "deck.txt").write_text("ace  king\n", "utf-8")
    assert program_of(board()).digest == before


def test_table_behind_a_method_is_in_the_digest(board: Any, tmp_path: Path) -> None:
    finding = BOARD.replace("return Colour.RED.value", "return str(rules.find('king'))")
    before = program_of(board(contract=finding))
    (tmp_path / "deck.txt").write_text("king ace", "utf-8")
    assert program_of(board(contract=finding)).digest != before.digest


def test_deployment_keeps_the_digest(board: Any) -> None:
    cls = board("        print(n)\n", "")
    before = program_of(cls).digest
    Chain().deploy(cls)
    assert program_of(cls).digest == before


def test_closures_of_one_factory_differ_by_their_values(load: Load) -> None:
    made = load(
        steps="""
        def adder(n):
            def add(m):
                return n + m
            return add
        add_one, add_two = adder(1), adder(2)
        class One(Contract):
            @view
            def get(self) -> u64: return add_one(5)
        One.__qualname__ = One.__name__ = "Adder"
        one = One
        class Two(Contract):
            @view
            def get(self) -> u64: return add_two(5)
        def contract(add):
            class Local(Contract):
                @view
                def get(self) -> u64: return add(5)
            return Local
        """
    )
    chain = Chain()
    assert [chain.deploy(cls).get() for cls in (made.One, made.Two)] == [6, 7]
    locals_ = [made.contract(add) for add in (made.add_one, made.add_two, made.adder(1))]
    digests = [program_of(cls).digest for cls in locals_]
    assert [chain.deploy(cls).get() for cls in locals_] == [6, 7, 6]
    assert (digests[0] != digests[1], digests[0] == digests[2]) == (True, True)


# Other packages

BELL = """
from bells.rules import STEP, later
class Bell(Contract):
    count: u64
    @call
    def ring(self) -> u64:
        for _ in range(50): pass
        self.count += STEP
        return later(self.count)
"""
LATER = "STEP = {step}\ndef later(n: int) -> int: return n // 1\n"


@pytest.mark.parametrize("folder", ["elsewhere", "site-packages"])
def test_rule_of_another_package_is_in_the_digest(
    folder: str, load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bells = tmp_path / folder / "bells"
    bells.mkdir(parents=True)
    monkeypatch.syspath_prepend(bells.parent)
    head = "from chain import Contract, call\nfrom chain.types import u64\n"
    (bells / "contract.py").write_text(head + BELL, "utf-8")
    digests = set()
    for step in (3, 4):
        (bells / "rules.py").write_text(LATER.format(step=step), "utf-8")
        for name in [name for name in sys.modules if name.partition(".")[0] == "bells"]:
            del sys.modules[name]
        mine = load(own="from bells.contract import Bell\nclass Mine(Bell): pass\n").Mine
        receipt = Chain().deploy(mine).ring()
        assert (receipt.return_value, receipt.ticks) == (step, 52)
        digests.add(program_of(mine).digest)
    assert len(digests) == 2


# Elsewhere

TELL = """
import sys
from chain.arena.find_game import find_game
from chain.metering.program import program_of
for game in sys.argv[1:]:
    for cls in find_game("contracts." + game).contracts:
        print(cls.__name__, program_of(cls).digest.hex())
"""


def test_digests_of_games_are_the_same_everywhere() -> None:
    runs = [
        (sys.executable, "1"),
        (sys.executable, "2"),
        *((each, "3") for each in other_pythons()),
    ]
    told = {
        subprocess.run(
            [python, "-c", TELL, *GAMES], cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for python, seed in runs
    }  # fmt: skip
    assert len(told) == 1 and len(told.pop().splitlines()) >= len(GAMES)
