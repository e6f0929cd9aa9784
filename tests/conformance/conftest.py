"""What replays of recorded games share: the records of Blokus that other records refer to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contracts.blokus.move import Move, pass_of, piece_named
from contracts.blokus.rules import play
from contracts.blokus.state import State, start

Record = dict[str, Any]


class RecordedBlokus:
    """The recorded games by their ids, as moves and positions."""

    def __init__(self, folder: Path) -> None:
        texts = [path.read_text("utf-8") for path in sorted(folder.rglob("*.jsonl"))]
        records = [json.loads(line) for text in texts for line in text.splitlines()]
        self.games: dict[int, Record] = {each["id"]: each for each in records if "plies" in each}

    def position(self, game: int, ply: int | None = None) -> State:
        """Before that ply; at the end if none is named."""
        state = start(self.games[game]["players"])
        for record in self.games[game]["plies"][:ply]:
            state = play(state, self.move(record))
        return state

    @staticmethod
    def move(ply: Record) -> Move:
        if ply.get("pass"):
            return pass_of(ply["p"])
        piece, position = piece_named(ply["n"]), (ply["r"], ply["c"])
        return Move(piece, position, ply["rot"], ply["p"], flip=ply["flip"])


@pytest.fixture(scope="session")
def blokus_games(request: pytest.FixtureRequest) -> RecordedBlokus:
    return RecordedBlokus(request.config.getoption("--vectors") / "blokus")
