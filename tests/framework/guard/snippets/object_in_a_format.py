class Card:
    def __init__(self, suit: str) -> None:
        self.suit = suit


def told() -> str:
    return "{}".format(Card("red")) + "%s" % Card("red")
