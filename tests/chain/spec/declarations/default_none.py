from chain import Contract, call


class Game(Contract):
    @call
    def play(self, name: str = None) -> None: ...
