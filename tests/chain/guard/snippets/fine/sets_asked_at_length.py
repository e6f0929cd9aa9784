from collections import defaultdict

from chain import Contract, Map, call
from chain.types import u64

DECK = [1, 2, 3]


def draw(cards: list[int]) -> int:
    return cards.pop()


def groups(names: list[str]) -> dict[str, list[str]]:
    found = defaultdict(list)
    for name in names:
        found[name[:1]].append(name)
    return dict(found)


def visited(names: list[str]) -> list[str]:
    seen = []

    def visit(name: str) -> None:
        seen.append(name)

    for name in sorted({*names}):
        visit(name)
    return seen


class Table(Contract):
    points: Map[str, u64]

    @call
    def play(self, names: list[str]) -> u64:
        rest = DECK[1:]
        rest.append(4)
        draw(rest)
        if any(name == "a" for name in {*names}) and all(self.points[name] for name in names):
            self.log("%s has %d" % (names[0], len({*names})))
        return sum(self.points[name] for name in {*names})
