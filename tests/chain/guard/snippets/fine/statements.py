from chain import Contract, Revert, call, event
from chain.types import u64


@event
class Moved:
    square: u64


class Board(Contract):
    """A statement may be a text, a name, or anything that is called."""

    square: u64

    @property
    def next(self) -> int:
        return self.square + 1

    @call
    def move(self, square: u64) -> None:
        """Moves."""
        self.square  # read, which costs
        self.next
        square > 3 and self.emit(Moved(square))
        self.emit(Moved(square))
        moved = Moved(square)
        self.emit(moved)
        if square > 9:
            raise Revert("The board ends here")
        ...
