from chain import Address, Contract


class Game(Contract):
    players: set[Address]
