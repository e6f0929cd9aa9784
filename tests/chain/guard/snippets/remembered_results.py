import functools
from functools import lru_cache


@lru_cache(maxsize=None)
def ways(n: int) -> int:
    return 1 if n < 2 else ways(n - 1) + ways(n - 2)


@functools.cache
def more(n: int) -> int:
    return ways(n)
