from random import randrange


def roll() -> int:
    return randrange(6) + 1
