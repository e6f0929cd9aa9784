from __future__ import annotations

from chain import Contract, call
from chain.types import u8


def make() -> type[Contract]:
    Point = tuple[u8, u8]

    class Game(Contract):
        @call
        def move(self, to: Point, by: float) -> None: ...

    return Game


make()
