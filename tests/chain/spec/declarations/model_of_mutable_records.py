from dataclasses import dataclass

from chain import Key, model
from chain.types import u8


@dataclass
class Square:
    x: u8


@model
class Board:
    id: Key[u8]
    origin: Square
