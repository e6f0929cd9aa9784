from chain import Key, event
from chain.types import u8


@event
class Moved:
    game: Key[u8]
    player: Key[u8]
    row: Key[u8]
    col: Key[u8]
