def points(n: int) -> int:
    from math import comb

    return comb(n, 2)
