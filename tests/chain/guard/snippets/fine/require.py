from chain import require


def is_open() -> bool:
    return False


def join(players: int, name: str, moves: tuple[int, ...], other=None) -> None:
    require(players < 4, "The table is full")
    require(name, "A player has a name")
    require(moves, "There is no move")
    require([each for each in moves if each], "There is no move")
    require([*moves], "There is no move")
    require(is_open(), "It is closed")
    require(True, "It is fine")
    require(players == 1 or players == 2, "One or two")
    require(players != 1 or name != "x", "The first is not called x")
    require(players == 1 or 0, "One")
    require(name and "a text", "A player has a name")
    assert name or other
    if name or other:
        return


def handed_over(is_open: bool) -> None:
    require(is_open, "It is closed")
