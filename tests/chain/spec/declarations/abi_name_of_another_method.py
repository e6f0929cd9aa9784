from chain import Contract, call
from chain.types import u8


class Game(Contract):
    @call(name="roll")
    def move(self) -> None: ...

    @call(name="move")
    def step(self, x: u8) -> None: ...
