from chain import Contract, call
from chain.types import u8


class Game(Contract):
    @call
    def move(self, x: u8) -> None: ...

    @call
    def move(self, x: u8, y: u8) -> None: ...
