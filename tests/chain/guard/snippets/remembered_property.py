from functools import cached_property


class Board:
    @cached_property
    def moves(self) -> tuple[int, ...]:
        return ()
