import math
from math import pi


def distance(x: int, y: int) -> int:
    return round(math.sqrt(x * x + y * y))
