"""The history of contracts whose classes are not declared reads as before."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from enum import Enum
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from chain import (
    Address,
    Chain,
    Contract,
    Key,
    Map,
    Revert,
    Set,
    System,
    Vector,
    call,
    error,
    event,
    init,
    model,
)
from chain.ledger.artifacts import Artifact, artifact_of
from chain.metering.program import program_of
from chain.types import bytes4, i8, u8, u64, u256


class Side(Enum):
    LEFT = "left"
    RIGHT = "right"


@dataclass(frozen=True)
class Spot:
    x: i8
    side: Side


@event
class Put:
    by: Key[Address]
    word: Key[str]
    spot: Spot
    maybe: Side | None
    many: list[u64]


@error
class Full(Revert):
    limit: u8


class Board(Contract):
    count: u8
    last: Spot | None
    spots: Vector[Spot]
    by: Map[Address, Map[u8, u64]]
    marks: Set[bytes4]
    name: str

    @init
    def start(self, name: str) -> None:
        self.name = name

    @call
    def put(self, spot: Spot, many: list[u64]) -> tuple[u8, Spot | None]:
        if self.count == 2:
            raise Full(2)
        before, self.last = self.last, spot
        self.count += 1
        self.spots.append(spot)
        self.by[self.caller][self.count] = sum(many)
        self.marks.add(b"abcd")
        self.emit(Put(self.caller, f"put {self.count}", spot, spot.side, many))
        return self.count, before


@model
class Score:
    player: Key[Address]
    best: Side | None
    points: u256


class Scoring(System):
    @call
    def win(self, points: u256) -> None:
        self.world.write(Score(self.caller, Side.LEFT, points))


def play(chain: Chain) -> None:
    board = chain.deploy(Board, "first")
    for x in (1, -2, 3):
        board.put(Spot(x, Side.RIGHT), [x + 5, 2**40], check=False)
    world = chain.deploy_world("arcade", systems=[Scoring], writers={Score: [Scoring]})
    world.system(Scoring).win(7)


def history_of(chain: Chain) -> list[Any]:
    """Return the history that a chain shows."""
    files = [io.StringIO() for _ in range(3)]
    chain.export_jsonl(files[0])
    chain.export_jsonl(files[1], "events")
    chain.export_csv(files[2], "Put")
    return [
        chain.activity(),
        *(file.getvalue() for file in files),
        [[str(write) for write in receipt.writes] for receipt in chain.receipts],
        [receipt.args for receipt in chain.receipts if receipt.entry == "win"],
        chain.sql("select contract, entry, args, result from receipts"),
        chain.sql("select * from Put"),
        chain.sql("select * from Score"),
    ]


def node_answers(chain: Chain) -> list[Any]:
    return [
        chain.node.request("chain_receipt", [2])["error"],
        chain.node.request("chain_contracts"),
        chain.node.request("chain_fields", ["Board"]),
        chain.node.request("chain_models", ["arcade", "Score"]),
    ]


def test_file_shows_its_history_without_the_classes(tmp_path: Path) -> None:
    with Chain.open(tmp_path / "a.chain") as chain:
        play(chain)
        before = history_of(chain), node_answers(chain)
    with Chain.open(tmp_path / "a.chain") as chain:
        assert [receipt.is_undeclared for receipt in chain.receipts[:2]] == [True, True]
        assert (history_of(chain), node_answers(chain)) == before


def test_node_shows_what_it_knows() -> None:
    near = Chain()
    play(near)
    assert history_of(Chain.connect(near.node)) == history_of(near)


def test_fork_without_its_class_is_readable(tmp_path: Path) -> None:
    with Chain.open(tmp_path / "a.chain") as chain:
        play(chain)
    with Chain.open(tmp_path / "a.chain") as chain:
        assert history_of(chain.fork()) == history_of(chain)


def test_artifact_survives_its_row() -> None:
    made = artifact_of(program_of(Board))
    again = Artifact.from_row(made.row)
    assert again == made
    assert again.full_name == f"{__name__}:Board"
    assert [entry.signature for entry in again.spec.entries.values()] == [
        entry.signature for entry in Board.__spec__.entries.values()
    ]
    assert again.spec.fields and Board.__spec__.fields
    assert again.spec.fields.names == Board.__spec__.fields.names


def test_only_what_was_deployed_is_recorded() -> None:
    chain = Chain()
    chain.declare(Board)
    assert list(chain.ledger.artifacts) == []
    board = chain.deploy(Board, "a")
    assert list(chain.ledger.artifacts) == [program_of(board.contract).digest]


BEFORE = """
from chain import Revert, Contract, Key, call, event
from chain.types import u8

@event
class Rolled:
    die: Key[u8]
    twice: u8

class Dice(Contract):
    @call
    def roll(self, die: u8) -> u8:
        self.emit(Rolled(die, die * 2))
        return die
"""


def contract_in(folder: Path, text: str, monkeypatch: Any) -> Any:
    """The contract of a module `dice` with that text."""
    folder.mkdir()
    (folder / "dice.py").write_text(text)
    spec = spec_from_file_location("dice", folder / "dice.py")
    assert spec and spec.loader
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "dice", module)
    spec.loader.exec_module(module)
    return module.Dice


def test_edited_class_leaves_history_as_it_was(tmp_path: Path, monkeypatch: Any) -> None:
    first = contract_in(tmp_path / "first", BEFORE, monkeypatch)
    with Chain.open(tmp_path / "a.chain") as chain:
        chain.deploy(first).roll(4)
        before = chain.activity()
    edited = BEFORE.replace("die: Key[u8]\n    twice", "twice").replace("Rolled(die, ", "Rolled(")
    second = contract_in(tmp_path / "second", edited, monkeypatch)
    with Chain.open(tmp_path / "a.chain", contracts=[second]) as chain:
        assert chain.activity() == before
        chain.deploy(second).roll(5)
        assert chain.receipts[-1].events.one("Rolled").twice == 10
        assert "Rolled(die=4, twice=8)" in chain.activity()
