from chain import Contract, Set


class Game(Contract):
    players: Set
