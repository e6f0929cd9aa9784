def deal(cards: set[str], take) -> dict[str, int]:
    deck: list[str] = []
    deck.extend(cards)
    deck += cards
    take(*cards)
    return dict.fromkeys(cards, 0)
