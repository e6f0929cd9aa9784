import heapq

from chain import Contract, call
from chain.types import u8


def put(row: list[int], value: int) -> None:
    row.append(value)


class Game(Contract):
    row: list[u8]

    @call
    def play(self) -> None:
        self.random.shuffle(self.row)
        heapq.heappush(self.row, 1)
        put(self.row, 1)
        self._put(self.row)

    def _put(self, row: list[int]) -> None:
        row[0] = 1
