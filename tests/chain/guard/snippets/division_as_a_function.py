from functools import reduce
from operator import truediv


def shares(points: list[int]) -> int:
    return reduce(truediv, points)
