from chain import Contract, view
from chain.types import u8


class Game(Contract):
    @property
    @view
    def size(self) -> u8: ...
