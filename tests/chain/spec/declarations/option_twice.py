from typing import NewType, Optional

from chain import Contract, call
from chain.types import u8

Tile = NewType("Tile", Optional[u8])


class Game(Contract):
    @call
    def move(self, joker: Tile | None) -> None: ...
