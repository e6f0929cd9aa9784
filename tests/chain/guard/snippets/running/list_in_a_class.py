from chain import Contract, call

class Player:
    hand = []

    def draw(self, card: int) -> None:
        self.hand.append(card)


class Game(Contract):
    @call
    def play(self) -> None:
        Player().draw(1)
