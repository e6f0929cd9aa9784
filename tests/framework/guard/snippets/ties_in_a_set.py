def best(cards: set[str]) -> str:
    longest = max(cards, key=len)
    return sorted(cards, key=len)[0] + longest
