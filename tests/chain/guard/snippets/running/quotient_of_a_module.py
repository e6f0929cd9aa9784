from chain import Contract, call

HALF = 7 / 2


class Game(Contract):
    @call
    def play(self) -> None:
        int(HALF)
