import time

from chain import Contract, call


class Game(Contract):
    @call
    def move(self) -> None:
        self.log(f"moved at {int(time.time())}")
