def hand(cards: set[str]) -> str:
    return ", ".join(cards) + str(cards) + f"{cards}"
