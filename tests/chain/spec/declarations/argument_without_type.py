from chain import Contract, call
from chain.types import u8


class Game(Contract):
    @call
    def move(
        self,
        row: u8,
        col,
    ) -> None: ...
