from chain import Contract, call

PLAYERS: list[str] = []


class Game(Contract):
    @call
    def join(self, name: str) -> None:
        PLAYERS.append(name)
