from math import *
from random import *
from chain import *


class Game(Contract):
    @call
    def move(self, x: int, y: int) -> int:
        require("It is over", x > y)
        if x > y:
            Revert("Too far")
        Chain()
        return round(sqrt(x * x + y * y)) + randrange(6)
