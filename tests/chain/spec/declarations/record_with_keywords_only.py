from dataclasses import dataclass

from chain import Contract, call
from chain.types import u8


@dataclass(frozen=True, kw_only=True)
class Square:
    x: u8


class Game(Contract):
    @call
    def play(self, at: Square) -> None: ...
