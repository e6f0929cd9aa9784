from chain import Contract, view
from chain.types import u8


class Game(Contract):
    @staticmethod
    @view
    def size() -> u8: ...
