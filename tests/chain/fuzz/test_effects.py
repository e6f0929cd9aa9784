"""What fuzzing reads of a call: the same as its receipt says, in fewer words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Any

import pytest

from chain import Chain, Contract, Map, Vector, call, event
from chain.fuzz import Fuzz
from chain.fuzz.effects import EffectReader
from chain.types import u8, u64, u256


class Phase(Enum):
    OPEN = 0
    OVER = 1


@dataclass(frozen=True)
class Place:
    x: u8
    y: u8


@dataclass(frozen=True)
class Piece:
    place: Place
    owner: u64 | None


@event
class Moved:
    by: u64


class Table(Contract):
    turn: u8
    phase: Phase
    total: u256
    piece: Piece
    spare: Place | None
    name: str
    places: Vector[Place]
    pieces: Map[u64, Piece]
    marks: Map[u8, Vector[u8]]

    @call
    def set(self, turn: u8, phase: Phase, total: u256, piece: Piece) -> None:
        self.turn, self.phase, self.total, self.piece = turn, phase, total, piece

    @call
    def tell(self, name: str, spare: Place | None) -> None:
        self.name, self.spare = name, spare
        self.log(f"{len(name)} letters")

    @call
    def put(self, index: u64, piece: Piece, mark: u8) -> None:
        self.pieces[index] = piece
        self.places.append(piece.place)
        self.marks[mark].append(mark)
        self.emit(Moved(index))


class TableFuzz(Fuzz):
    contracts = (Table,)


def written(write: Any) -> tuple[str, object]:
    member = re.sub("[0-9]+", "#", write.member)
    return f"{write.contract}.{write.name}.{member}", write.new


def test_stored_values_are_those_of_the_receipt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of a word are read from the word alone; the others as the receipt reads them."""
    monkeypatch.setattr("chain.fuzz.effects._plain", lambda value: value)
    seen = 0
    read = EffectReader.stored

    def checked(reader: EffectReader, receipt: Any) -> list[tuple[str, object]]:
        nonlocal seen
        stored = read(reader, receipt)
        assert stored == [written(write) for write in receipt.writes]
        seen += len(stored)
        return stored

    monkeypatch.setattr(EffectReader, "stored", checked)
    TableFuzz.run(20, lines=False)
    assert seen > 500


def test_announcements_have_no_numbers() -> None:
    chain = Chain()
    table, reader = chain.deploy(Table), EffectReader(chain.ledger)
    place = Piece(Place(1, 2), None)
    assert reader.announced(table.put(7, place, 1)) == ["Moved"]
    assert reader.announced(table.tell("ab", None)) == ["# letters"]
    assert reader.outcome(None) == "ok"
    assert reader.outcome(table.put(7, place, 1, value=3, check=False).error) == (
        "refused: Table.put takes no value: it is not payable"
    )
