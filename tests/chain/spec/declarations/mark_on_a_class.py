from chain import Contract, call


class Game(Contract):
    @call(payable=True)
    class Move: ...
