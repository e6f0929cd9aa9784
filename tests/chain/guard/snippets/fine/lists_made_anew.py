import heapq
from dataclasses import dataclass, replace
from typing import ClassVar

from chain import Contract, Key, Map, System, Vector, call, model
from chain.types import u8, u64


@dataclass(frozen=True)
class Hand:
    cards: list[u8]


def with_one_more(row: list[int]) -> list[int]:
    row = list(row)
    row.append(1)
    return row


def total(row: list[int]) -> int:
    return sum(row)


class Game(Contract):
    LIMITS: ClassVar[tuple[int, ...]] = (1, 2)
    row: list[u8]
    rows: list[list[u8]]
    hands: Vector[list[u8]]
    bets: Map[u64, list[u8]]
    hand: Hand
    order: Vector[u8]

    @call
    def play(self, card: u8) -> None:
        self.row += [card]
        self.row = [*self.row, card]
        self.row = with_one_more(self.row)
        row = self.row
        row += [total(self.row)]
        row.append(2)
        self.row = row
        copied = list(self.rows)
        copied[0] = [*copied[0], card]
        copied.append([])
        self.rows = copied
        self.hands.append([card])
        self.hands[0] = [*self.hands[0], card]
        self.hands[0] += [card]
        self.bets[7] = sorted(self.bets[7])
        self.bets[7] += [card]
        self.hand = replace(self.hand, cards=[*self.hand.cards, card])
        self.order.append(card)
        self.order.pop()
        self.random.shuffle(self.order)
        drawn = self.row[1:]
        drawn.sort()
        heapq.heappush(drawn, 3)
        both = self.row + drawn
        both.pop()
        for each in self.rows:
            each = list(each)
            each.reverse()

    @call
    def count(self) -> u64:
        row = self.row
        while len(row) < 9:
            row += [1]
        return len(row)


@model
class Board:
    id: Key[u64]
    cells: list[u8]


class Boards(System):
    @call
    def play(self) -> None:
        board = self.world.read(Board, 1)
        board.cells.append(1)
        board.cells[0] = 2
        self.random.shuffle(board.cells)
        self.world.write(board)
