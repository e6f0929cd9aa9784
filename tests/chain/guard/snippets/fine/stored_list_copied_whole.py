import copy

from chain import Contract, call
from chain.types import u8


class Game(Contract):
    rows: list[list[u8]]

    @call
    def play(self) -> None:
        rows = copy.deepcopy(self.rows)
        rows[0].append(1)
        self.rows = rows
