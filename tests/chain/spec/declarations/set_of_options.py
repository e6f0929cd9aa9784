from chain import Contract, Set
from chain.types import u8


class Game(Contract):
    jokers: Set[u8 | None]
