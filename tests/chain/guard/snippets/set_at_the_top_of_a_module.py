from enum import Enum

NAMES = {"red", "grey"}
MORE = frozenset(NAMES) | {"blue"}
COLOURS = tuple(NAMES)
FIRST, *REST = MORE
CODES = {name: code for code, name in enumerate(MORE)}
LINE = ", ".join(name.title() for name in NAMES) + f" of {NAMES}"
LONGEST = max(NAMES, key=len)
Colour = Enum("Colour", [*NAMES])
ANY = {"red", "grey"}.pop()

for name in NAMES - {"red"}:
    CODES[name] = 0


class Table:
    letters = tuple(letter for name in NAMES for letter in name)


def rows(table: tuple[set[str], ...]) -> list[str]:
    return [name for names in table for name in names]


PAIRS: tuple[set[str], ...] = (NAMES, MORE)
LETTERS = [name for names in PAIRS for name in names]
