"""The 42nd Sagrada: a dice-drafting game whose commands, cards and objectives are data."""

from contracts.sagrada.contract import Sagrada
from contracts.sagrada.events import (
    CommandExecuted,
    DiceMoved,
    DicePlaced,
    FrameChosen,
    GameCreated,
    GameEnded,
    GameStarted,
    Redone,
    RoundEnded,
    ToolActivated,
    TurnPassed,
    Undone,
)
from contracts.sagrada.models import Guest, Party, Score, Table

__all__ = [
    "CommandExecuted",
    "DiceMoved",
    "DicePlaced",
    "FrameChosen",
    "GameCreated",
    "GameEnded",
    "GameStarted",
    "Guest",
    "Party",
    "Redone",
    "RoundEnded",
    "Sagrada",
    "Score",
    "Table",
    "ToolActivated",
    "TurnPassed",
    "Undone",
]
