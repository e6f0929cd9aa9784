from chain import Contract, call
from chain.types import u8


class Game(Contract):
    @call
    def score(self, points: dict[str, u8]) -> None: ...
