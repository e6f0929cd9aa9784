from chain import Contract, call


class Game(Contract):
    @call(name="make move")
    def move(self) -> None: ...
