from chain.errors import Halt, Revert


def play(move) -> None:
    try:
        move()
    except Halt:
        raise Revert("too long")
