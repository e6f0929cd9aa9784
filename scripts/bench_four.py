"""Four in a row, line for line the contract in scripts/forge/src/Four.sol, and recorded games of it."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from chain import Address, Chain, Contract, Key, Map, call, event, require
from chain.types import u8, u64, u256

NEW, OUT_OF_TURN = 255, 128  # in recorded games; any other byte is a column
TURN = 84  # above the squares, two bits each: whose turn it is, 0 when the game is over


@event
class Dropped:
    game: Key[u64]
    player: u8
    column: u8
    row: u8


class Four(Contract):
    count: u64
    first: Map[u64, Address]
    second: Map[u64, Address]
    boards: Map[u64, u256]

    @call
    def create(self, one: Address, other: Address) -> u64:
        game = self.count
        self.first[game] = one
        self.second[game] = other
        self.boards[game] = 1 << TURN
        self.count = game + 1
        return game

    @call
    def drop(self, game: u64, column: u8) -> u8:
        board = self.boards[game]
        player = board >> TURN
        require(player != 0, "the game is over")
        mover = self.first[game] if player == 1 else self.second[game]
        require(self.caller == mover, "not your turn")
        require(column < 7, "no such column")
        row = 0
        while row < 6 and at(board, column, row) != 0:
            row += 1
        require(row < 6, "the column is full")
        board = board & (1 << TURN) - 1 | player << 14 * row + 2 * column
        won = wins(board, player, column, row)
        self.boards[game] = board if won else board | 3 - player << TURN
        self.emit(Dropped(game, player, column, row))
        return row


def at(board: int, column: int, row: int) -> int:
    return board >> 14 * row + 2 * column & 3


def wins(board: int, player: int, column: int, row: int) -> bool:
    if run(board, player, column, row, 0, -1) >= 3:
        return True
    for rise in range(-1, 2):
        left = run(board, player, column, row, -1, -rise)
        if left + run(board, player, column, row, 1, rise) >= 3:
            return True
    return False


def run(board: int, player: int, column: int, row: int, across: int, up: int) -> int:
    length = 0
    column += across
    row += up
    while 0 <= column < 7 and 0 <= row < 6 and at(board, column, row) == player:
        length += 1
        column += across
        row += up
    return length


def recorded(games: int) -> bytes:
    """Return games of random moves, one in twenty of them refused: out of turn, in a full column, or beside the board."""
    random, moves = Random(4), bytearray()
    for _ in range(games):
        moves.append(NEW)
        for _ in range(random.randint(10, 50)):
            column = random.randrange(7) if random.random() < 0.98 else 7
            moves.append(column | (OUT_OF_TURN if random.random() < 0.02 else 0))
    return bytes(moves)


def playing(moves: bytes) -> Callable[[], int]:
    """Return a function that plays recorded games on one chain, and returns the last board."""
    chain = Chain()
    four, players = chain.deploy(Four), chain.accounts[:2]

    def play() -> int:
        game = turn = 0
        for move in moves:
            if move == NEW:
                game, turn = four.create(*players).return_value, 0
                continue
            sender = players[turn if move < OUT_OF_TURN else 1 - turn]
            if four.drop(game, move % OUT_OF_TURN, sender=sender, check=False).ok:
                turn = 1 - turn
        return four.fields.boards[game]

    return play
