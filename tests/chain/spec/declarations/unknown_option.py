from chain import Contract, call


class Game(Contract):
    @call(paybale=True)
    def play(self) -> None: ...
