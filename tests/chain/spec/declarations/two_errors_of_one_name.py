from chain import Contract, Revert, call, error
from chain.types import u8


@error
class NotYou(Revert):
    player: u8


Old = NotYou


@error
class NotYou(Revert):
    name: str


class Game(Contract):
    @call
    def play(self, col: u8) -> None:
        if col:
            raise Old(col)
        raise NotYou("Ann")
