from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Generic, Protocol, TypeAlias, TypeVar, overload

T = TypeVar("T")
Rule: TypeAlias = Callable[[int], bool]
Tree: TypeAlias = "list[Tree] | int"
Json = dict[str, "Json"]


class Chance(Protocol):
    def choice(self, options: Sequence[T], /, *, tag: str) -> T: ...


class Bag(Generic[T]):
    __slots__ = ("_items",)
    __hash__ = None

    def __init__(self, items: Collection[T] = ()) -> None:
        self._items = list(items)

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def __contains__(self, item: object) -> bool:
        return item in self._items

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Bag):
            return NotImplemented
        return self._items == other._items

    def draw(self, chance: Chance) -> T:
        item = chance.choice(self._items, tag="bag")
        self._items.remove(item)
        return item


class Strategy(ABC):
    @abstractmethod
    def choose(self, bag: Bag[int]) -> int:
        """One of them."""


class First(Strategy):
    def choose(self, bag: Bag[int]) -> int:
        return next(iter(bag))


class Key:
    def __init__(self, text: str) -> None:
        self.text = text

    def __hash__(self) -> int:
        return hash(self.text)

    def __enter__(self) -> Key:
        return self

    def __exit__(self, *error: object) -> None:
        return None


@overload
def at(items: Sequence[int], index: int) -> int: ...
@overload
def at(items: Sequence[int], index: slice) -> Sequence[int]: ...
def at(items, index):
    return items[index]


def depth(tree: Tree, json: Json) -> int:
    bag = Bag([1, 2])
    rules: list[Rule] = [lambda n: n > 1, bool]
    return sum(rule(depth) for rule in rules for depth in bag) + First().choose(bag)
