from dataclasses import dataclass

from chain import Key, event
from chain.types import u8


@dataclass(frozen=True)
class Square:
    x: u8


@event
class Moved:
    to: Key[Square]
