CARDS = frozenset({"ace", "king"})
DECK = list(CARDS)
PAIRS = tuple(zip(CARDS, DECK))
