from chain import Contract, init


class Game(Contract):
    @init(name="new")
    def begin(self) -> None: ...
