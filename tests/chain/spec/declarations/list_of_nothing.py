from chain import Contract, call


class Game(Contract):
    @call
    def play(self, moves: list) -> None: ...
