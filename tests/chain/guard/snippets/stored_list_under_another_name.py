from chain import Contract, Map, call
from chain.types import u8, u64


class Game(Contract):
    row: list[u8]
    rows: list[list[u8]]
    bets: Map[u64, list[list[u8]]]

    @call
    def play(self) -> None:
        row = self.row
        row.append(1)
        first, *_ = self.rows
        first[0] = 1
        for i, each in enumerate(self.rows):
            each[i] = 0
        copied = list(self.rows)
        copied[0].append(1)
        (last := self.rows[-1]).clear()
        for bet in self.bets[7]:
            bet.sort()
