from chain import Contract, view
from chain.types import u8


class Game(Contract):
    @classmethod
    @view
    def size(cls) -> u8: ...
