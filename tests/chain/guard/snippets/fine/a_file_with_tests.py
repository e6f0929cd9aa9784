import time
from random import Random

import pytest
from chain import Chain, Contract, call


class Game(Contract):
    @call
    def move(self) -> None: ...


@pytest.fixture
def random() -> Random:
    return Random(time.time())


def test_move(random: Random) -> None:
    table = Chain().deploy(Game)
    print(table.move(), random.random() / 2)
