from __future__ import annotations

from chain import Contract, call
from chain.types import u8


class Game(Contract):
    @call
    def move(self, col: u8, to: Square) -> None: ...
