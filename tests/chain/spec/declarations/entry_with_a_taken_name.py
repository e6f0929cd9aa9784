from chain import Contract, view
from chain.types import u64


class Game(Contract):
    @view
    def address(self) -> u64: ...
