from chain import Contract, call


class Game(Contract):
    @call(payable=1)
    def play(self) -> None: ...
