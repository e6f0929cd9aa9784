"""Contracts may be declared anywhere, a function included, with annotations as objects or as text."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from chain import Chain, DeclarationError
from chain.metering.program import program_of

HEAD = """
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, ClassVar, Final, List, NewType, Optional, Tuple

import chain
from chain import Address, Contract, Key, Map, Revert, Set, Vector, call, error, event, init, model, view
from chain.types import felt252, u8, u64
"""

# Each makes a contract in a function; its entry `go(n)` returns n.
SOURCES = {
    "types of its own": """
def make():
    class Side(Enum):
        BLUE = 0
        RED = 1

    @dataclass(frozen=True)
    class Square:
        x: u8
        side: Side

    @dataclass(frozen=True)
    class Move:
        to: "Square"
        path: list[Square]

    class Game(Contract):
        moves: Vector[Move]
        last: "Square | None"

        @call
        def go(self, n: u8) -> u8:
            self.last = Square(n, Side.RED)
            self.moves.append(Move(self.last, [self.last]))
            return self.take(self.moves[0])

        @view
        def take(self, move: Move) -> u8:
            return move.path[0].x

    return Game
""",
    "announcements of its own": """
def make():
    Point = tuple[u8, u8]

    @event
    class Moved:
        id: Key[u8]
        to: Point

    @error
    class Missed(Revert):
        to: Point

    @model
    class Board:
        id: Key[u8]
        corner: Point

    class Game(Contract):
        @call
        def go(self, n: u8) -> u8:
            self.emit(Moved(n, (n, n)))
            if n == 0:
                raise Missed((n, n))
            return n

    return Game
""",
    "names around the function": """
def around():
    Point = tuple[u8, u8]

    def make():
        Length = u64

        class Game(Contract):
            spot: Point

            @call
            def go(self, n: Length) -> "Length":
                self.spot = (n, n)
                return self.spot[1]

        return Game

    return make()

make = around
""",
    "names in the class": """
def make():
    class Game(Contract):
        Length = u64
        LIMIT: ClassVar[int] = 5
        FIRST: Final = 0
        count: u64

        @call
        def go(self, n: Length) -> u64:
            self.count = n + self.FIRST
            return min(self.count, self.LIMIT + n)

    return Game
""",
    "names of names": """
def make():
    GameId = NewType("GameId", u64)
    Points = Map[Address, u8]

    class Game(Contract):
        games: Set[GameId]
        points: Points
        titles: Map[str, Optional[felt252]]

        @call
        def go(self, n: GameId, more: List[u8] = (), pair: Tuple[u8, ...] = ()) -> Annotated[u64, "the same"]:
            self.games.add(n)
            self.points[self.caller] = n
            self.titles["a"] = n
            return self.titles["a"]

    return Game
""",
    "parent from elsewhere": """
def parent():
    Length = u64

    class Base(Contract):
        count: Length
        squares: Vector[Length]

        @init
        def new(self, first: Length = 3) -> None:
            self.count = first

        @call
        def add(self, n: Length) -> Length:
            self.count += n
            return self.count

    return Base

def make():
    Length = "not this one"

    class Game(parent()):
        more: u8

        @call
        def go(self, n: u64) -> u64:
            return self.add(n) - 3

    return Game
""",
    "a type of a module": """
def make():
    class Game(Contract):
        owner: chain.Address

        @call
        def go(self, n: chain.types.u8) -> "chain.types.u8":
            return n

    return Game
""",
    "a wrapped entry": """
from functools import wraps

def guarded(function):
    @wraps(function)
    def wrapper(self, *args):
        return function(self, *args) + 1

    return wrapper

def make():
    Length = u64

    class Base(Contract):
        @call
        def go(self: "Base", n: Length) -> Length:
            return n - 1

    class Game(Base):
        @view
        @guarded
        def see(self, n: Length) -> Length:
            return n

        go = guarded(Base.go)

    return Game
""",
    "a field named like a type": """
def make():
    class Game(Contract):
        list: u8
        names: list[u8]

        @call
        def go(self, n: u8) -> u8:
            self.list, self.names = n, [n]
            return self.names[0]

    return Game
""",
}


def load(source: str, future: bool, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    module = ModuleType("elsewhere")
    monkeypatch.setitem(sys.modules, "elsewhere", module)
    head = f"from __future__ import annotations\n{HEAD}" if future else HEAD
    exec(compile(head + source, "elsewhere.py", "exec", dont_inherit=True), vars(module))
    return vars(module)


@pytest.mark.parametrize("future", [False, True], ids=["objects", "text"])
@pytest.mark.parametrize("name", SOURCES)
def test_contract_in_function_works(
    name: str, future: bool, monkeypatch: pytest.MonkeyPatch, chain: Chain
) -> None:
    game = chain.deploy(load(SOURCES[name], future, monkeypatch)["make"]())
    assert game.go(5).return_value == 5


def test_annotation_does_not_see_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    Hidden = int  # noqa: F841, N806  # a name of the function that calls, not of one around the class
    source = "def make():\n class Game(Contract):\n  x: Hidden\n"
    make = load(source, True, monkeypatch)["make"]
    with pytest.raises(DeclarationError, match="'Hidden' is not defined here"):
        make()


def test_declared_at_a_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    space = {"__name__": "nowhere"}
    source = HEAD + "\n@event\nclass Moved:\n x: 'u8'\nclass Game(Contract):\n y: 'u8'\n"
    exec(compile(source, "<stdin>", "exec", dont_inherit=True), space)
    with pytest.raises(DeclarationError, match=r"^<stdin>:2: Bad.x: 'int' has no width"):
        exec(
            compile("\nclass Bad(Contract):\n x: int", "<stdin>", "exec", dont_inherit=True), space
        )


TYPED = """
from chain import Contract, require, view
from chain.types import u64

class Rule:
    STEP = 2

    def value(self) -> int:
        return 4 + self.STEP

def ruled() -> int:
    require(True, "never")
    return Rule().value()

class Game(Contract):
    @view
    def get(self) -> u64:
        return ruled()
"""


@pytest.mark.parametrize(
    ("old", "new", "is_other"),
    [("4 +", "5 +", True), ("Rule().value()", "7", True), ("STEP = 2", "STEP = 2 ", False)],
)
def test_class_without_a_source_is_identified_by_its_code(
    old: str, new: str, is_other: bool
) -> None:
    digests = set()
    for text in (TYPED, TYPED.replace(old, new)):
        space = {"__name__": "typed_in"}
        exec(compile(text, "<stdin>", "exec", dont_inherit=True), space)
        digests.add(program_of(space["Game"]).digest)  # type: ignore[arg-type]
    assert len(digests) == 1 + is_other
