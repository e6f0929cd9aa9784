from chain import Key, event
from chain.types import u8


@event
class Moved:
    col: u8
    path: Key[list[u8]]
