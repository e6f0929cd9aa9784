from chain import Contract, Map, call
from chain.types import u64


class Table(Contract):
    points: Map[str, u64]

    @call
    def play(self, names: list[str]) -> None:
        if any(self.points[name] for name in set(names)):
            self.log("one has points")
        if any(len(last := name) > 3 for name in set(names)):
            self.log(last)
        all(self.log(name) for name in set(names))
