from contextlib import suppress


def play(move) -> None:
    with suppress(Exception):
        move()
