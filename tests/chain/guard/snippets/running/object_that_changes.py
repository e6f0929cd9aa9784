from chain import Contract, call

class Score:
    def __init__(self) -> None:
        self.points = 0

    def add(self) -> None:
        self.points += 1


SCORE = Score()


class Game(Contract):
    @call
    def play(self) -> None:
        SCORE.add()
