from dataclasses import dataclass

from chain import Contract, Vector
from chain.types import u8


@dataclass
class Square:
    x: u8


class Game(Contract):
    board: Vector[Square]
