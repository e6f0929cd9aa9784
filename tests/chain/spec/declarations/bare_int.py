from chain import Contract, call


class Game(Contract):
    @call
    def move(self, col: int) -> None: ...
