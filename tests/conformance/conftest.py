"""What replays of recorded games share: records that other records refer to, and their notation."""

from __future__ import annotations

import json
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import Any, Final

import pytest

from chain.ledger.receipt_log import ReceiptLog
from chain.ledger.receipts import Receipt
from chain.pictures import board_picture
from chain.simulator.handle import Handle
from contracts.blokus.move import Move, pass_of, piece_named
from contracts.blokus.rules import play
from contracts.blokus.state import State, start
from contracts.mage_duel.state import Ending, PlayerSide, RuleSet
from contracts.mage_duel.union_find import Contest

Record = dict[str, Any]


class Watched:
    """A board on a chain, looked at after every step by its picture."""

    def __init__(self, game: Handle, board_id: int) -> None:
        self.receipts: ReceiptLog = game.chain.ledger.receipts
        self.game, self.board_id = game, board_id
        self.shown, self.seen = board_picture(game, board_id), len(self.receipts)

    def step(self) -> tuple[set[str], list[Receipt]]:
        """The parts that look different since the last step, and what happened since."""
        after, receipts = board_picture(self.game, self.board_id), self.receipts[self.seen :]
        changed = set(after.changes(self.shown))
        self.shown, self.seen = after, self.seen + len(receipts)
        return changed, receipts


@pytest.fixture
def watch() -> type[Watched]:
    return Watched


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


class RecordedDuels:
    """The recorded games of Mage Duel by their ids, and the notation of the records."""

    SIDES: Final = {"blue": PlayerSide.BLUE, "red": PlayerSide.RED}
    ENDINGS: Final = {
        Ending.TWO_SKIPS: "two_consecutive_skips",
        Ending.TIME_RAN_OUT: "finish_game_timeout",
        Ending.NOTHING_LEFT: "deck_and_jokers_exhausted",
    }

    def __init__(self, folder: Path) -> None:
        values = (json.loads(path.read_text("utf-8")) for path in sorted(folder.rglob("*.json")))
        self.games: dict[str, Record] = {value["id"]: value for value in values if "setup" in value}

    @staticmethod
    def name_of(side: PlayerSide | None) -> str:
        return "draw" if side is None else side.name.lower()

    @staticmethod
    def title_of(member: Enum) -> str:
        """IN_PROGRESS as `InProgress`."""
        return member.name.title().replace("_", "")

    def contests(self, contests: Iterable[Contest]) -> list[Record]:
        return [
            {
                "kind": held.kind.name.lower(),
                "root": held.root,
                "winner": self.name_of(held.winner),
                "blue_points": held.blue_points,
                "red_points": held.red_points,
            }
            for held in contests
        ]

    @staticmethod
    def once(contests: Iterable[Record]) -> list[Record]:
        """The original contests a loop twice that closes at two ends of a crossing."""
        firsts: dict[tuple[str, int], Record] = {}
        for held in contests:
            firsts.setdefault((held["kind"], held["root"]), held)
        return list(firsts.values())

    def contest_events(self, events: Iterable[Any]) -> list[Record]:
        """The contests among the events of a receipt."""
        return [
            {
                "kind": type(event).__name__[:4].lower(),
                "root": event.root,
                "winner": self.name_of(getattr(event, "winner", None)),
                "blue_points": event.blue_points,
                "red_points": event.red_points,
            }
            for event in events
            if "Contest" in type(event).__name__
        ]

    @staticmethod
    def rule_set(told: Record | None) -> RuleSet:
        if told is None:
            return RuleSet()
        numbers = *told["edges"], told["joker_number"], told["joker_price"]
        return RuleSet(tuple(told["deck"]), *numbers)


@pytest.fixture(scope="session")
def duels(request: pytest.FixtureRequest) -> RecordedDuels:
    return RecordedDuels(request.config.getoption("--vectors") / "mage_duel")
