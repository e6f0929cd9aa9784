from dataclasses import dataclass

from chain import Contract, Map, Vector, call
from chain.types import u8, u64


@dataclass(frozen=True)
class Hand:
    cards: list[u8]


class Game(Contract):
    row: list[u8]
    rows: list[list[u8]]
    hands: Vector[list[u8]]
    bets: Map[u64, list[u8]]
    hand: Hand
    last: list[u8] | None
    pair: tuple[list[u8], u8]

    @call
    def play(self) -> None:
        self.row.append(1)
        self.row[0] = 1
        self.row[0] += 1
        del self.row[0]
        self.rows[1][0] = 9
        self.rows[0] += [1]
        self.rows[1].insert(0, 9)
        self.hands[0].sort()
        self.hands.pop().clear()
        self.bets[7].extend([1, 2])
        self.hand.cards.reverse()
        self.last.pop()
        self.pair[0].remove(1)
        list.append(self.row, 1)
