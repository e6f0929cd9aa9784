from chain import Key, model
from chain.types import u8


@model
class Board:
    id: Key[u8]
    side: Key[u8]
