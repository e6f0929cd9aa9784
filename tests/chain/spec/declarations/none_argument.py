from chain import Contract, call


class Game(Contract):
    @call
    def move(self, to: None) -> None: ...
