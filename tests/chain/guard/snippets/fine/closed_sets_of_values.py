from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum, StrEnum, auto, unique
from typing import ClassVar, NamedTuple, Self


@unique
class Side(IntEnum):
    RED = 0
    BLUE = 1

    @property
    def other(self) -> "Side":
        return Side.BLUE if self is Side.RED else Side.RED


class Phase(Enum):
    ROLL = auto()
    HOP = auto()

    def __str__(self) -> str:
        return self.name.capitalize()


class Report(StrEnum):
    WON = "{side} has won"


class Move(NamedTuple):
    origin: int
    target: int


@dataclass(frozen=True, slots=True, order=True)
class State:
    LIMIT: ClassVar[int] = 8

    cells: tuple[int, ...]
    side: Side = Side.RED
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if len(self.cells) > self.LIMIT:
            raise ValueError(f"{len(self.cells)} cells, and {self.side!r} has {self.cells!r}")

    @classmethod
    def empty(cls) -> Self:
        return cls(())

    @staticmethod
    def square(x: int, y: int) -> int:
        return 8 * y + x

    @property
    def is_full(self) -> bool:
        return all(self.cells)

    def add(self, cell: int) -> "State":
        return replace(self, cells=(*self.cells, cell))


START = State.empty()


def begin() -> str:
    state = START.add(1)
    return f"{state} {state.side.name} {Phase.ROLL} {Move(1, 2)} {type(state).__name__}"
