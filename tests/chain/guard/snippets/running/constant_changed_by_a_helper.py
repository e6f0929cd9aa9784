from chain import Contract, call

DECK = [1, 2, 3]


def draw(cards: list[int]) -> int:
    return cards.pop()


class Game(Contract):
    @call
    def play(self) -> None:
        draw(DECK)
