from chain import Contract, call, event
from chain.types import u8


@event
class Moved:
    col: u8


Old = Moved


@event
class Moved:
    col: u8
    row: u8


class Game(Contract):
    @call
    def play(self, col: u8) -> None:
        self.emit(Old(col))
        self.emit(Moved(col, 0))
