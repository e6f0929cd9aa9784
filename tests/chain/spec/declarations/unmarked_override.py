from chain import Contract, call


class Game(Contract):
    @call
    def play(self) -> None: ...


class LongGame(Game):
    def play(self) -> None: ...
