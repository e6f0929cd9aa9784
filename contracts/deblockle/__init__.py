"""Deblockle: roll your cubes home, star side up."""

from contracts.deblockle.contract import Deblockle
from contracts.deblockle.models import Cube, Direction, Game, GameRecord, Phase, Position

__all__ = ["Cube", "Deblockle", "Direction", "Game", "GameRecord", "Phase", "Position"]
