from chain import Contract, view


class Game(Contract):
    @view
    def fields(self) -> str: ...
