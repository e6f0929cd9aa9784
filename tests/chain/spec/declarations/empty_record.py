from dataclasses import dataclass

from chain import Contract, call


@dataclass(frozen=True)
class Square: ...


class Game(Contract):
    @call
    def play(self, at: Square) -> None: ...
