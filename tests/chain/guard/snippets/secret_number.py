import secrets as chance
import uuid


def draw() -> int:
    return chance.randbelow(52)
