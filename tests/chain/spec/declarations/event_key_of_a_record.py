from dataclasses import dataclass

from chain import Key, event
from chain.types import u8


@dataclass(frozen=True)
class Square:
    marks: tuple[u8, ...]


@event
class Moved:
    to: Key[Square]
