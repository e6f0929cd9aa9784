from chain import Contract, call


class Square:
    x = y = 0


class Game(Contract):
    @call
    def move(self, to: Square) -> None: ...
