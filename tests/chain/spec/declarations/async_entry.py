from chain import Contract, call


class Game(Contract):
    @call
    async def play(self) -> None: ...
