from chain import require


def is_open() -> bool:
    return False


def join(players: int, name: str, moves: tuple[int, ...]) -> None:
    require(players < 4, "The table is full")
    require(name, "A player has a name")
    require(moves, "There is no move")
    require([each for each in moves if each], "There is no move")
    require(is_open(), "It is closed")
    require(True, "It is fine")
