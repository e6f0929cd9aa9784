from collections.abc import Iterable
from enum import Enum


class Color(Enum):
    RED = "red"


def total(numbers: Iterable[int]) -> int:
    return sum(number * number for number in numbers)


def line(names: Iterable[str]) -> str:
    names = sorted(names)
    return ", ".join(names)


def flat(what: object) -> list[str]:
    if isinstance(what, (list, tuple)):
        return [name for each in what for name in flat(each)]
    if isinstance(what, list):
        for each in what:
            return [each]
    if isinstance(what, (set, frozenset)):
        return sorted(what)
    for each in what:
        return [str(each)]
    return []


def again(numbers, depth: int) -> int:
    return len(numbers) if depth == 0 else again(numbers | {depth}, depth - 1)


def within(names, depth: int) -> int:
    return depth if depth > 3 else within(frozenset({names}), depth + 1)


def color(text: str) -> Color:
    try:
        return Color(text)
    except ValueError as wrong:
        raise LookupError("no such color") from wrong


def checked(number: int) -> str:
    try:
        if int(number) < 0:
            raise ValueError("less than nothing")
    except ValueError as wrong:
        return str(wrong)
    return "fine"


def told(names: set[str]) -> list[str]:
    count = lambda some: len(some)
    by_letter: dict[str, set[str]] = {}
    for name in sorted(names):
        by_letter.setdefault(name[0], set()).add(name)
    match names:
        case []:
            return []
        case other:
            size = len(other)
    return [line(names), *flat(names), str(total({1, 2})), str(again({0}, 3)), str(count(names) + size), str(within(names, 0))]
