class Hand:
    def __init__(self, cards: list[str]) -> None:
        self.cards = set(cards)
        self.seen: set[str] = set()

    def tell(self) -> str:
        for card in self.cards:
            self.seen.add(card)
        return "{}: {last}".format(self.cards, last=self.seen)
