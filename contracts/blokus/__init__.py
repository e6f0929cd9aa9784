"""Blokus: twenty-one pieces each, touching one's own only at the corners."""

from contracts.blokus.contract import Blokus
from contracts.blokus.events import GameCreated, GameFinished, PiecePlaced, PlayerJoined, TurnPassed
from contracts.blokus.models import GameRecord, LegalCount, SeatRecord, StateRecord
from contracts.blokus.move import Move, MoveRecord
from contracts.blokus.pieces import PieceRecord
from contracts.blokus.rules import Ending, Outcome
from contracts.blokus.state import Scoring

__all__ = [
    "Blokus",
    "Ending",
    "GameCreated",
    "GameFinished",
    "GameRecord",
    "LegalCount",
    "Move",
    "MoveRecord",
    "Outcome",
    "PiecePlaced",
    "PieceRecord",
    "PlayerJoined",
    "Scoring",
    "SeatRecord",
    "StateRecord",
    "TurnPassed",
]
