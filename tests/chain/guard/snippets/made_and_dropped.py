from chain import Contract, Key, Revert, call, error, event
from chain.types import u64


@event
class Moved:
    square: Key[u64]


@error
class Blocked(Revert):
    square: u64


class Board(Contract):
    square: u64

    def is_over(self) -> bool:
        return self.square > 9

    @call
    def move(self, square: u64) -> None:
        if square > 9:
            Revert("The board ends here")
        if square == self.square:
            Blocked(square)
        self.is_over
        self.square == square
        Moved(square)
