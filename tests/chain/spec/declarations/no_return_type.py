from chain import Contract, view


class Game(Contract):
    @view
    def rounds(self): ...
