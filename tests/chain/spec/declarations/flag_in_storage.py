from enum import IntFlag, auto

from chain import Contract


class Walls(IntFlag):
    NORTH = auto()
    SOUTH = auto()


class Maze(Contract):
    start: Walls
