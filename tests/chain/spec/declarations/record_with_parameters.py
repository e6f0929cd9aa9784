from dataclasses import dataclass
from typing import Generic, TypeVar

from chain import Contract, call
from chain.types import u8

T = TypeVar("T")


@dataclass(frozen=True)
class Pair(Generic[T]):
    left: T
    right: T


class Game(Contract):
    @call
    def play(self, at: Pair[u8]) -> None: ...
