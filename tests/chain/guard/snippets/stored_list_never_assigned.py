from chain import Contract, call
from chain.types import u8


class Game(Contract):
    row: list[u8]

    @call
    def play(self, values: list[u8]) -> None:
        row = self.row
        for value in values:
            row += [value]
