from chain import Contract, call

def fee(amount: int, places: int) -> int:
    return int(amount * 10**-places)


class Game(Contract):
    @call
    def play(self) -> None:
        fee(100, 2)
