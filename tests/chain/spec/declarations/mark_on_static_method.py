from chain import Contract, view
from chain.types import u8


class Game(Contract):
    @view
    @staticmethod
    def size() -> u8: ...
