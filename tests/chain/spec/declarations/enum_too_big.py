from enum import Enum

from chain import Contract, call

Tile = Enum("Tile", [f"TILE_{number}" for number in range(257)])


class Game(Contract):
    @call
    def place(self, tile: Tile) -> None: ...
