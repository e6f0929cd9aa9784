from chain import Contract, init


class Game(Contract):
    @init
    def new(self) -> None: ...

    @init
    def restore(self) -> None: ...
