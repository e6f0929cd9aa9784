from collections.abc import Iterable


def first(names):
    for name in names:
        return name


def joined(names: Iterable[str], sign: str = ",") -> str:
    return sign.join(names)


class Notes:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, names: Iterable[str]) -> None:
        self.lines += list(names)


def told(notes: Notes) -> list[str]:
    names = {"red", "blue"}
    in_order = lambda some: list(some)

    def taken(some: Iterable[str]) -> str:
        return [*some][0]

    notes.add(names)
    return [first(names), joined(sign=";", names=names), taken(names), *in_order(names)]
