from chain import Contract, view


class Game(Contract):
    @view(private=True)
    def rounds(self) -> None: ...
