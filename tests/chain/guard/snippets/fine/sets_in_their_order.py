from collections.abc import Iterable

SIDES = frozenset({"blue", "red"}) | {"grey"}
SORTED = sorted(name for name in SIDES if name != "grey")
COUNTS = sum(len(name) for name in SIDES), len(SIDES), max(SIDES), {*SIDES, "green"}


class Piece:
    def __init__(self, name: str) -> None:
        self.name = name


def walk(names: set[str]) -> list[str]:
    met = []
    for name in names:
        met.append(name)
    first, *rest = names
    return [*names, first, *rest, names.pop(), min(names, key=len), ", ".join(names)]


def shown(pieces: Iterable[Piece], names: dict[str, Piece]) -> str:
    return f"{ {*names.keys()} } {pieces!r}" + repr(walk) + str(names.keys() | {"a"}) + "%r" % (pieces,)
