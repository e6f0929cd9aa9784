from chain import *
from chain.types import *


@event
class Moved:
    square: u64


class Board(Contract):
    square: u64

    @call
    def move(self, square: u64) -> None:
        require(square > self.square, "Moves go on")
        self.square = square
        self.emit(Moved(square))
