from chain import Contract, call


class Game(Contract):
    @call
    def _play(self) -> None: ...
