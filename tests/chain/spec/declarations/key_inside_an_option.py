from chain import Key, event
from chain.types import u8


@event
class Moved:
    game: Key[u8] | None
