def draw(cards: set[str]) -> str:
    return cards.pop() or next(iter(cards))
