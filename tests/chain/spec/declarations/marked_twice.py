from chain import Contract, call, view


class Game(Contract):
    @view
    @call
    def play(self) -> None: ...
