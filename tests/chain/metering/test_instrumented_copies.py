"""Instrumented copies run on chain; arguments and results are of the author's own classes."""

from __future__ import annotations

import ast
import bdb
import importlib
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from chain import Chain, reverts
from chain.errors import DeclarationError, Reverted
from chain.metering.program import program_of
from chain.source.modules import parse_module
from chain.testing import instrumented

RULES = '''"""The rules."""

from dataclasses import dataclass
from enum import Enum

from chain import Revert, error
from chain.types import u8

from . import library

LIMIT = 9


class Colour(Enum):
    RED = 0
    BLUE = 1


@dataclass(frozen=True)
class Piece:
    colour: Colour
    size: u8

    def grown(self) -> "Piece":
        return Piece(self.colour, self.size + library.STEP)


@error
class TooBig(Revert):
    piece: Piece


class Odd(Exception):
    pass


def check(piece: Piece) -> None:
    for _ in range(piece.size):
        pass
    if piece.size > LIMIT:
        raise TooBig(piece)


def unused(n: int) -> int:
    return n
'''
LIBRARY = """from pathlib import Path

STEP = int(Path(__file__).with_name("step.txt").read_text("utf-8"))
"""
CONTRACT = """from chain import Contract, Key, Vector, call, event, view
from chain.types import Address, u8

from . import rules
from .rules import Colour, Odd, Piece, TooBig


@event
class Laid:
    name: Key[str]
    piece: Piece


class Board(Contract):
    pieces: Vector[Piece]

    @call
    def lay(self, piece: Piece) -> Piece:
        rules.check(piece)
        self.pieces.append(piece)
        self.emit(Laid("a piece", piece))
        return piece.grown()

    @call
    def pick(self) -> Colour:
        return self.random.choice(list(Colour), tag="colour")

    @call
    def fail(self) -> None:
        raise Odd("odd")

    @view
    def all_pieces(self) -> list[Piece]:
        return [piece for piece in self.pieces]


class Hand(Contract):
    board: Address

    @call
    def begin(self) -> None:
        self.board = self.deploy(Board)

    @call
    def lay(self, piece: Piece) -> bool:
        try:
            return self.at(Board, self.board).lay(piece) == piece.grown()
        except TooBig as no:
            return no.piece != piece
"""
FILES = {
    "__init__.py": "",
    "rules.py": RULES,
    "library.py": LIBRARY,
    "contract.py": CONTRACT,
    "step.txt": "2",
    "other.py": "N = 1\n",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Writes a small package with these changes, and imports its contract."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(*changes: tuple[str, str, str]) -> Any:
        forget()
        texts = dict(FILES)
        for file, old, new in changes:
            assert old in texts[file]
            texts[file] = texts[file].replace(old, new)
        for file, text in texts.items():
            path = tmp_path / "small" / file
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
        return importlib.import_module("small.contract")

    yield write
    forget()


def test_contracts_of_a_package_share_modules_that_were_dropped_from_the_cache(
    package: Callable[..., Any],
) -> None:
    contracts = package()
    board = program_of(contracts.Board)
    parse_module.cache_clear()  # as happens when many other modules are read
    assert program_of(contracts.Hand).namespace is board.namespace


def forget() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "small"]:
        del sys.modules[name]
    importlib.invalidate_caches()


@pytest.fixture
def made(package: Callable[..., Any]) -> Any:
    return package()


# What goes in and out


def test_class_that_a_contract_deploys_first_is_its_authors(made: Any, chain: Chain) -> None:
    hand = chain.deploy(made.Hand)
    hand.begin()
    assert chain.code(hand.fields.board) == program_of(made.Board).code


def test_results_are_the_authors(made: Any, chain: Chain) -> None:
    board, piece = chain.deploy(made.Board), made.Piece(made.Colour.BLUE, 3)
    receipt = board.lay(piece)
    assert receipt.return_value == made.Piece(made.Colour.BLUE, 5)
    assert board.all_pieces() == [piece]
    assert receipt.events == [made.Laid("a piece", piece)]


def test_errors_are_the_authors(made: Any, chain: Chain) -> None:
    board, piece = chain.deploy(made.Board), made.Piece(made.Colour.RED, 10)
    with reverts(made.TooBig) as caught:
        board.lay(piece)
    assert getattr(caught.error.cause, "piece", None) == piece
    with reverts(made.TooBig(piece)):
        board.lay(piece)
    with reverts(made.Odd):
        board.fail()


def test_loaded_outcomes_are_the_authors(made: Any, chain: Chain) -> None:
    board = chain.deploy(made.Board)
    with chain.loaded(colour=[made.Colour.BLUE, made.Colour.RED]):
        assert board.pick().return_value is made.Colour.BLUE
        assert board.pick().return_value is made.Colour.RED


def test_contracts_of_a_package_share_classes(made: Any, chain: Chain) -> None:
    hand = chain.deploy(made.Hand)
    hand.begin()
    assert hand.lay(made.Piece(made.Colour.RED, 1)).return_value is True
    assert hand.lay(made.Piece(made.Colour.RED, 10)).return_value is False


def test_module_may_change_outside(made: Any, chain: Chain) -> None:
    board = chain.deploy(made.Board)
    made.rules.LIMIT, made.rules.check = 0, None
    assert board.lay(made.Piece(made.Colour.RED, 9)).ok


def test_failure_names_the_authors_line(made: Any, chain: Chain) -> None:
    line = RULES.splitlines().index("        raise TooBig(piece)") + 1
    with pytest.raises(Reverted) as caught:
        chain.deploy(made.Board).lay(made.Piece(made.Colour.RED, 10))
    assert caught.value.error.place.endswith(f"rules.py:{line}")


# The digest

SAME = [
    ("rules.py", "LIMIT = 9", "LIMIT = (9)  # at most"),
    ("rules.py", '"""The rules."""', '"""Other words."""'),
    ("rules.py", "    for _ in", "\n    # in a ring\n    for _ in"),
    ("rules.py", "return n", "return n + 1"),
    ("other.py", "N = 1", "N = 2"),
    ("contract.py", "from .rules import Colour, Odd, Piece, TooBig", "from small.rules import Piece, Colour, Odd, TooBig"),
]  # fmt: skip
OTHER = [
    ("rules.py", "LIMIT = 9", "LIMIT = 8"),
    ("rules.py", "piece.size > LIMIT", "piece.size >= LIMIT"),
    ("rules.py", "self.size + library", "self.size - library"),
    ("step.txt", "2", "3"),
    ("contract.py", "rules.check(piece)\n", "rules.check(piece.grown())\n"),
]


@pytest.mark.parametrize("change", SAME)
def test_words_around_keep_the_digest(package: Callable[..., Any], change: Any) -> None:
    before = program_of(package().Board).digest
    assert program_of(package(change).Board).digest == before


@pytest.mark.parametrize("change", OTHER)
def test_rules_make_the_digest(package: Callable[..., Any], change: Any) -> None:
    before = program_of(package().Board).digest
    assert program_of(package(change).Board).digest != before


def test_installed_package_is_the_same(
    package: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = program_of(package().Board).digest
    forget()
    shutil.copytree(tmp_path / "small", tmp_path / "site-packages" / "small")
    monkeypatch.syspath_prepend(tmp_path / "site-packages")
    board = importlib.import_module("small.contract").Board
    assert "site-packages" in sys.modules["small.contract"].__file__  # type: ignore[operator]
    assert program_of(board).digest == before
    assert program_of(board).instrumented.cls is not board


def test_changed_source_runs_again(package: Callable[..., Any], chain: Chain) -> None:
    chain.deploy(package().Board)
    made = package(("rules.py", "LIMIT = 9", "LIMIT = 8"))
    with reverts(made.TooBig):
        chain.deploy(made.Board).lay(made.Piece(made.Colour.RED, 9))


REFUSED = """from chain import Contract, call
from chain.types import u8
from small import rules, tables

TABLE: dict[str, int] = {}
for fill in (tables.fill,):
    fill(TABLE)


class Refused(Contract):
    size: u8

    @call
    def go(self) -> None:
        rules.check(rules.Piece(rules.Colour.RED, 1))
        self.size = len(TABLE)
"""


def test_copy_for_faults_is_the_one_that_runs(
    made: Any, chain: Chain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = chain.deploy(made.Board)
    (tmp_path / "small" / "tables.py").write_text("def fill(table): table[1] = 1", "utf-8")
    (tmp_path / "small" / "refused.py").write_text(REFUSED, "utf-8")
    refused = importlib.import_module("small.refused").Refused
    with pytest.raises(DeclarationError, match=r"'TABLE' is .* here"):
        Chain(guard=False).deploy(refused)  # nothing is added to the copies any more
    monkeypatch.setattr(instrumented(made.rules), "LIMIT", 0)
    with reverts(made.TooBig):
        board.lay(made.Piece(made.Colour.RED, 1))


# Tools that look at lines


class Stops(bdb.Bdb):
    """Notes where it stops."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, int]] = []

    def user_line(self, frame: Any) -> None:
        if self.break_here(frame):
            self.seen.append((Path(frame.f_code.co_filename).name, frame.f_lineno))
        self.set_continue()


def test_breakpoints_stop_on_chain(made: Any, chain: Chain) -> None:
    board, stops = chain.deploy(made.Board), Stops()
    line = RULES.splitlines().index("    if piece.size > LIMIT:") + 1
    assert stops.set_break(made.rules.__file__, line) is None
    stops.runcall(board.lay, made.Piece(made.Colour.RED, 4))
    assert ("rules.py", line) in stops.seen


PLAY = """
import sys
sys.path.insert(0, {root!r})
sys.path.insert(0, {folder!r})
from chain import Chain
from small.contract import Board, Colour, Piece, rules
if sys.argv[1] == "chain":
    Chain().deploy(Board).lay(Piece(Colour.RED, 4))
else:
    rules.check(Piece(Colour.RED, 4))
    Piece(Colour.RED, 4).grown()
"""


def test_coverage_sees_the_same_lines(made: Any, tmp_path: Path) -> None:
    pytest.importorskip("coverage")
    root = Path(__file__).parents[3]
    (tmp_path / "play.py").write_text(PLAY.format(root=str(root), folder=str(tmp_path)), "utf-8")
    on_chain, by_module = (covered(tmp_path, how) for how in ("chain", "module"))
    assert by_module
    # Since Python 3.14 nothing runs where a field is declared, except in the copies.
    declared = {
        node.lineno
        for node in ast.walk(ast.parse((tmp_path / "small" / "rules.py").read_text("utf-8")))
        if isinstance(node, ast.AnnAssign)
    }
    assert {*by_module} <= {*on_chain} <= {*by_module} | declared


def covered(folder: Path, how: str) -> list[int]:
    command = [sys.executable, "-m", "coverage", "run", "--data-file", how, "play.py", how]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    from coverage import CoverageData

    data = CoverageData(str(folder / how))
    data.read()
    return sorted(data.lines(str(folder / "small" / "rules.py")) or [])
