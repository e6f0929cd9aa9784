DECK = [1, 2, 3]


def draw(cards: list[int]) -> int:
    return cards.pop()


def deal() -> int:
    return draw(DECK)
