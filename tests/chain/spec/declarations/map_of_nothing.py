from chain import Contract, Map


class Game(Contract):
    points: Map
