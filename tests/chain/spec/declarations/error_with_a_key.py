from chain import Key, Revert, error
from chain.types import u8


@error
class NotYou(Revert):
    player: Key[u8]
