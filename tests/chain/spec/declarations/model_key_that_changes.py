from chain import Key, model
from chain.types import u8


@model
class Board:
    path: Key[list[u8]]
    number: u8
