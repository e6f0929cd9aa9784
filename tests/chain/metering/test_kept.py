"""A contract runs again from what the chain keeps of it: in another process, after edits, without its data files."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from chain import Chain, Contract, World, call
from chain.arena.find_game import find_game
from chain.metering.kept import Kept, NotKept, keep, run_kept
from chain.metering.program import program_of
from chain.replays import record
from chain.replays.player import replay
from chain.simulator.catalogue import ContractCatalogue
from chain.types import u64
from tests.chain.game_folders import GAMES
from tests.chain.metering.conftest import HEAD, Load
from tests.chain.metering.playing import ROOT

RULES = """
import json
from enum import Enum
from pathlib import Path
from types import MappingProxyType

DECK = json.loads(Path(__file__).with_name("deck.json").read_text("utf-8"))
WORTH = MappingProxyType({name: n + 1 for n, name in enumerate(DECK)})
COLOURS = frozenset(name[0] for name in DECK)

class Kind(Enum):
    LOW = DECK[0]
    HIGH = DECK[-1]

class Card:
    __slots__ = ("name",)
    NAMES = DECK
    def __init__(self, name): self.name = name
    def __repr__(self): return f"<{self.name}>"

FIRST = Card(DECK[0])

def limited(most):
    return lambda n: n if n < most else most

cut = limited(len(DECK))
find = DECK.index
"""
BOARD = """
from . import rules
from .rules import Card

class Board(Contract):
    total: u64

    @call
    def lay(self, name: str) -> str:
        self.total += rules.cut(rules.WORTH[name] + rules.find(name))
        kind = rules.Kind(rules.DECK[0])
        return f"{rules.FIRST} {kind} {Card.NAMES} {sorted(rules.COLOURS)} {self.total}"
"""
ANSWER = "<ace> Kind.LOW ['ace', 'king', 'queen'] ['a', 'k', 'q'] 3"


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Leave no kept module to the next test."""
    yield
    for name in [name for name in sys.modules if name.startswith("kept_")]:
        del sys.modules[name]
    sys.meta_path[:] = [each for each in sys.meta_path if not hasattr(each, "constants")]


@pytest.fixture
def board(load: Load, tmp_path: Path) -> Any:
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "__init__.py").touch()
    (tmp_path / "small" / "deck.json").write_text('["ace", "king", "queen"]', "utf-8")
    return load(head="", small__rules=RULES, small__board=HEAD + BOARD).Board


def answer(cls: Any) -> str:
    return str(Chain().deploy(cls).lay("king").return_value)


def test_kept_contract_answers_the_same_without_its_files(board: Any, tmp_path: Path) -> None:
    kept = keep(board)
    assert answer(board) == ANSWER
    (tmp_path / "small" / "deck.json").unlink()
    (tmp_path / "small" / "rules.py").write_text("edited since", "utf-8")
    again = run_kept(kept)
    assert again is not board and again.__module__.endswith(".small.board")
    assert (program_of(again).digest, answer(again)) == (kept.digest, ANSWER)


def test_kept_after_its_deployment(board: Any) -> None:
    """When its constants refuse changes."""
    before = keep(board)
    answer(board)
    after = keep(board)
    assert after.digest == before.digest
    assert answer(run_kept(after)) == ANSWER


def test_one_chain_has_the_kept_and_the_edited_version(board: Any, load: Load) -> None:
    chain, kept = Chain(), keep(board)
    first = chain.deploy(board)
    rules = RULES.replace("most\n", "most + 40\n")
    edited = load(head="", small__rules=rules, small__board=HEAD + BOARD).Board
    again: Any = run_kept(kept)
    second, third = chain.deploy(edited), chain.deploy(again)
    assert chain.code(first.address) == chain.code(third.address) != chain.code(second.address)
    totals = [each.lay("king").return_value.split()[-1] for each in (first, second, third)]
    assert totals == ["3", "43", "3"]


def test_folder_without_init_is_a_package_too(load: Load) -> None:
    tour = "import ring.stop\nfrom ring import rest\nclass Tour(Contract):\n @call\n def lay(self, name: str) -> u64:"
    made = load(
        ring__rest="M = 3\n",
        ring__stop="import ring.tour\nN = 2\n",
        ring__tour=f"{tour} return ring.stop.N + rest.M\n",
    )
    kept = keep(made.Tour)
    load(ring__stop="N = 9\n", ring__rest="M = 9\n")
    assert (answer(run_kept(kept)), answer(made.Tour)) == ("5", "5")


def test_tampered_text_is_refused(board: Any) -> None:
    kept = keep(board)
    texts = kept.texts | {
        "small.rules": kept.texts["small.rules"]._replace(
            text=RULES.replace("n < most", "n > most")
        )
    }
    with pytest.raises(NotKept, match=r"Board is 0x\w{8}… now, and was 0x\w{8}… when it was kept"):
        run_kept(kept._replace(texts=texts))
    assert not [name for name in sys.modules if name.startswith("kept_")]


def test_tampered_constant_is_refused(board: Any) -> None:
    kept = keep(board)
    rules = kept.constants["small.rules"] | {"DECK": pickle.dumps(["ace", "x", "queen"])}
    with pytest.raises(NotKept, match="Board is 0x"):
        run_kept(kept._replace(constants=kept.constants | {"small.rules": rules}))


def test_text_that_is_not_python_is_refused(board: Any) -> None:
    kept = keep(board)
    texts = kept.texts | {"small.rules": kept.texts["small.rules"]._replace(text="def")}
    with pytest.raises(NotKept, match="Board does not run as it was kept: invalid syntax"):
        run_kept(kept._replace(texts=texts))


# What cannot be kept says so


def test_contract_of_the_chain_is_not_kept() -> None:
    with pytest.raises(NotKept, match="World is part of the chain"):
        keep(World)


def test_class_in_a_function_is_not_kept() -> None:
    class Local(Contract):
        @call
        def get(self) -> u64:
            return 1

    with pytest.raises(NotKept, match="Local is made by a function, with the variables of that: a"):
        keep(Local)


def test_class_typed_at_a_prompt_is_not_kept() -> None:
    command = (
        f"{HEAD}class Typed(Contract):\n @call\n def get(self) -> u64: return 1\n"
        "from chain.metering.kept import *\n"
        "try: keep(Typed)\nexcept NotKept as no: print(no)\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", command], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert told.stdout == "Typed was typed at a prompt: a class in a file can be kept\n"


# Games

PLAY = """
import pickle, sys
from chain.metering.kept import run_kept
from chain.metering.program import program_of
from chain.replays.player import replay
text, kept = pickle.load(open(sys.argv[1], "rb"))
classes = [run_kept(each) for each in kept]
assert "contracts" not in sys.modules
played = replay(text, contracts=classes)
print(played.difference or "the same")
"""


@pytest.mark.parametrize("game", GAMES)
def test_game_is_played_elsewhere_from_what_was_kept(game: str, tmp_path: Path) -> None:
    """In a process that has neither the game nor its data files."""
    chain, text = recorded(game)
    kept = [*kept_of(chain)]
    (tmp_path / "chain").symlink_to(ROOT / "chain")
    (tmp_path / "kept").write_bytes(pickle.dumps((text, kept)))
    told = subprocess.run(
        [sys.executable, "-P", "-c", PLAY, "kept"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONHASHSEED": "5"},
        capture_output=True,
        text=True,
    )
    assert (told.stdout, told.stderr) == ("the same\n", "")


@pytest.mark.parametrize("game", GAMES)
def test_game_goes_on_when_its_contracts_are_loaded_again(game: str) -> None:
    _, text = recorded(game)
    assert replay(text, offered=[ContractCatalogue(f"contracts.{game}")], anew=True).ok


def recorded(game: str) -> tuple[Chain, str]:
    chain = Chain(seed=5)
    table = find_game(f"contracts.{game}").on_chain(chain, 2, Random(7))
    for ply in range(6):
        moves = table.moves()
        table.make(moves[ply * 7919 % len(moves)])
    return chain, record(chain)


def kept_of(chain: Chain) -> Iterator[Kept]:
    for program in chain.machine.programs.values():
        if not program.spec.cls.__module__.startswith("chain."):
            yield keep(program.spec.cls)
