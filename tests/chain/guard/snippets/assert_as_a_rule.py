def join(players: int) -> None:
    assert players < 4, "The table is full"
