from chain import Contract, view
from chain.types import u8


class Game(Contract):
    @view(payable=True)
    def rounds(self) -> u8: ...
