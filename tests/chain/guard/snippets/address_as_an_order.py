def in_order(cards: list) -> list:
    return sorted(cards, key=id)
