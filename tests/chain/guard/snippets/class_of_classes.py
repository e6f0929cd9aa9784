class Registry(type):
    known = ()


class Card(metaclass=Registry):
    pass


class Ace(Card, name="ace"):
    pass
