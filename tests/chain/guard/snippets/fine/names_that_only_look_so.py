from dataclasses import dataclass


@dataclass(frozen=True)
class Card:
    id: int
    hash: bytes
    input: str = ""

    def open(self, dir: str, vars: tuple[str, ...] = ()) -> str:
        print = dir + self.input
        return print + "".join(vars) + str(self.id)


def time(float: int, set: list[int]) -> list[int]:
    return [id for id in set if id is not None and id > float]


def hand(object: str, type: str, random: int = 0) -> str:
    global_ = f"{object} {type:>3} {random:,d} {random:x} {random:+d}"
    return global_ + "100 %d %s" % (random, type) + "{:>3} {!s}".format(random, type)


def rates(n: int) -> str:
    return "50%% for %d" % n + "50 % for {}".format(n) + f"{n:>8}: {n:,}"
