NAMES = {"red", "grey"}
MORE = frozenset(NAMES) | {"blue"}
COLOURS = tuple(NAMES)
FIRST, *REST = MORE
CODES = {name: code for code, name in enumerate(MORE)}
LINE = ", ".join(name.title() for name in NAMES)
TOP = next(iter({"red", "grey"}))

for name in NAMES - {"red"}:
    CODES[name] = 0


class Table:
    letters = tuple(letter for name in NAMES for letter in [*NAMES, name])
