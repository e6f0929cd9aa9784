import re
from collections.abc import Mapping
from functools import partial, reduce
from itertools import product
from operator import mul
from types import MappingProxyType
from typing import Final

NAMES: Final = {"red": 0, "blue": 1}
ROWS = [list(range(8)) for _ in range(8)]
PAIRS: Final = tuple(product(range(6), repeat=2))
LINE: Final = re.compile(r"([a-g])([1-7])", re.ASCII)
VIEW: Final[Mapping[str, int]] = MappingProxyType({name: code for code, name in enumerate("ab")})
FACTORIALS: Final[list[int]] = [1]
for number in range(1, 10):
    FACTORIALS.append(number * FACTORIALS[-1])
double = partial(mul, 2)
top, *others = ROWS


def value(name: str, row: int) -> int:
    cells = list(ROWS[row])
    cells[0] = 1
    cells.append(2)
    total = VIEW.get(name, 0)
    total += double(NAMES[name])
    return total + reduce(mul, cells, 1) + FACTORIALS[3] + sum(a * b for a, b in PAIRS)


def squares(text: str) -> list[str]:
    return [f"{found[1]}{found[2]:>2}" for found in LINE.finditer(text)]
