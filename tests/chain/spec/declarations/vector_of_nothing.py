from chain import Contract, Vector


class Game(Contract):
    board: Vector
