from chain import model
from chain.types import u8


@model
class Board:
    id: u8
    moves: u8
