from chain import Contract, Key, model
from chain.types import u8


@model
class Board:
    id: Key[u8]
    moves: u8


class Game(Contract):
    board: Board
