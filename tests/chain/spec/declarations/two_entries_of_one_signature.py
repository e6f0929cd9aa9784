from chain import Contract, call
from chain.types import u8


class Game(Contract):
    @call
    def move(self, x: u8) -> None: ...

    @call(name="move")
    def move_to(self, y: u8) -> None: ...
