class Deck:
    def __init__(self) -> None:
        self.cards = [1, 2, 3]

    def draw(self) -> int:
        return self.cards.pop()


DECK = Deck()
