from chain import Contract, call


class Game(Contract):
    @call
    def move(self) -> None: ...

    def move(self) -> None: ...
