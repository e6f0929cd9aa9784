from chain import Contract, call
from chain.types import u8


class Game(Contract):
    @call
    def move(self, to: u8 | str | None) -> None: ...
