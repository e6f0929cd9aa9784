from itertools import count, cycle

IDS = count(1)
TURNS = cycle(("red", "blue"))
SQUARES = (x * x for x in range(8))
ROWS = map(str, range(8))
