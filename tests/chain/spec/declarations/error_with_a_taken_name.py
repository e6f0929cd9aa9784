from chain import Revert, error
from chain.types import u8


@error
class NotYou(Revert):
    args: list[u8]
