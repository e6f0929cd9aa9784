from chain import require


def is_open() -> bool:
    return False


def join(players: int, name: str) -> None:
    require((players < 4, "The table is full"), "no")
    require("The table is full", players < 4)
    require(lambda: players < 4, "The table is full")
    require((each < 4 for each in range(players)), "The table is full")
    require([players < 4], "The table is full")
    require(is_open, "It is closed")
