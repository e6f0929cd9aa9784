from chain import Contract, view
from chain.types import u64


class Game(Contract):
    @view
    def balance(self) -> u64: ...
