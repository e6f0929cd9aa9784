"""Values that are remembered: read for the same gas, and the same as those that are decoded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain import Address, Chain, Contract, Map, Vector, call, require
from chain.storage.remembered import Remembered
from chain.types import i16, u8, u16, u64, u256
from tests.chain.helpers import untyped


@dataclass(frozen=True)
class Piece:
    name: str
    marks: tuple[u8, ...]


@dataclass(frozen=True)
class Board:
    turn: u8
    over: bool
    cells: tuple[u16, ...]
    pieces: tuple[Piece, ...]
    title: str


@dataclass(frozen=True)
class Lists:
    items: list[u8]


@dataclass(frozen=True)
class Hidden:
    piece: Piece | None


class Desk(Contract):
    boards: Vector[Board]
    kept: Map[u64, Board | None]
    lists: Vector[Lists]
    hidden: Vector[Hidden]

    @call
    def begin(self, board: Board) -> None:
        self.boards.append(board)

    @call
    def turn(self, board: Board, fails: bool) -> Board:
        """Change the stored value into `board`, sharing what is equal."""
        before = self.boards[0]
        self.boards[0] = shared(before, board)
        require(not fails, "undone")
        return self.boards[0]

    @call
    def set(self, board: Board) -> Board:
        before = self.boards[0]
        self.boards[0] = board
        return self.boards[0] if before != board else before

    @call
    def slip(self, board: Board) -> Board:
        """Change what was read into `board`, although another value is stored by now."""
        before = self.boards[0]
        self.boards[0] = replace(board, pieces=(Piece("slip", (1,)),))
        self.boards[0] = shared(before, board)
        return self.boards[0]

    @call
    def repeat(self, board: Board) -> Board:
        """Change what was read twice, as if it were still there."""
        before = self.boards[0]
        self.boards[0] = replace(before, title="once")
        self.boards[0] = shared(before, board)
        return self.boards[0]

    @call
    def keep(self, board: Board | None) -> Board | None:
        before = self.kept[7]
        self.kept[7] = board if board is None or before is None else shared(before, board)
        return self.kept[7]

    @call
    def read(self) -> tuple[Board, Board | None]:
        return self.boards[0], self.kept[7]


def shared(before: Board, after: Board) -> Board:
    """`after`, made of the parts of `before` where they are equal."""
    same = {
        name: getattr(before, name)
        for name in ("cells", "pieces", "title", "turn", "over")
        if getattr(before, name) == getattr(after, name)
    }
    if "pieces" not in same:
        same["pieces"] = tuple(
            next((old for old in before.pieces if old == piece), piece) for piece in after.pieces
        )
    return replace(after, **same)


bytes_ = st.integers(0, 3)
pieces = st.builds(Piece, st.text("ab", max_size=40), st.lists(bytes_, max_size=35).map(tuple))
EMPTY = Board(0, False, (), (), "")
boards = st.just(EMPTY) | st.builds(
    Board,
    bytes_,
    st.booleans(),
    st.lists(bytes_, max_size=3).map(tuple) | st.sampled_from([(1,) * 16, (1,) * 17, (0,) * 33]),
    st.lists(pieces, max_size=3).map(tuple),
    st.text("xy", max_size=40),
)
steps = st.one_of(
    st.tuples(st.just("turn"), boards, st.booleans()),
    st.tuples(st.just("set"), boards),
    st.tuples(st.sampled_from(["slip", "repeat"]), boards),
    st.tuples(st.just("keep"), boards | st.none()),
    st.tuples(st.just("read")),
)


def run(script: list[Any], forgetful: bool) -> tuple[list[Any], bytes]:
    chain = Chain(guard=False)  # `shared` goes through members by name
    desk = chain.deploy(Desk)
    desk.begin(EMPTY)
    told = []
    for entry, *args in script:
        if forgetful:
            forget()
        receipt = getattr(desk, entry)(*args, check=False)
        told.append((receipt.return_value, receipt.gas_used, receipt.changes, receipt.ok))
    return told, chain.state_root()


def forget() -> None:
    fields = Desk.__spec__.fields
    assert fields
    for layout in fields.layouts[:2]:
        layout.known._known.clear()


@given(st.lists(steps, max_size=12))
@settings(deadline=None, max_examples=80)
def test_memory_only_saves_time(script: list[Any]) -> None:
    assert run(script, forgetful=False) == run(script, forgetful=True)


def test_changed_value_is_read_from_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Chain(guard=False).deploy(Desk)
    desk.begin(Board(1, False, (1, 2), (), "a"))
    desk.turn(Board(2, False, (1, 3), (), "a"), False)
    layout = Desk.__spec__.fields.layouts[0].item  # type: ignore[union-attr]
    monkeypatch.setitem(vars(layout), "load", None)
    assert desk.turn(Board(3, False, (4, 3), (), "a"), False).return_value.turn == 3


def test_value_written_or_undone_elsewhere_is_read_again() -> None:
    chain = Chain(guard=False)
    desk = chain.deploy(Desk)
    first, second, third = (Board(turn, False, (turn,), (), "a") for turn in (1, 2, 3))
    desk.begin(first)
    desk.turn(second, False)
    with chain.anchor():
        assert desk.set(third).return_value == third
        assert desk.read().return_value[0] == third
    assert desk.turn(third, False).return_value == third
    with chain.anchor():
        desk.turn(first, False)
    assert desk.set(third).return_value == third


@pytest.mark.parametrize(("field", "remembered"), [(0, True), (1, True), (2, False), (3, True)])
def test_only_frozen_values_are_remembered(field: int, remembered: bool) -> None:
    layout: Any = Desk.__spec__.fields.layouts[field]  # type: ignore[union-attr]
    assert isinstance(layout.known, Remembered) == remembered


class Level(IntEnum):
    LOW = 1


class Text(str):
    __slots__ = ()


class Place(Address):
    __slots__ = ()


@dataclass(frozen=True)
class Inner:
    number: u8
    text: str


@dataclass(frozen=True)
class Outer:
    wide: u256
    signed: i16
    who: Address
    raw: bytes
    numbers: tuple[u8, ...]
    inners: tuple[Inner, ...]
    pair: tuple[u8, u64]
    inner: Inner
    maybe: Inner | None


INNER = Inner(3, "a")
OUTER = Outer(2**200, -5, Address(bytes(20)), b"b", (1, 2), (INNER, INNER), (1, 2), INNER, None)
LOW = untyped(Level.LOW)
OTHERS: list[dict[str, Any]] = [
    {"wide": LOW}, {"signed": LOW}, {"who": Place(bytes(20))}, {"raw": bytearray(b"b")}, {"raw": bytearray(b"c")},
    {"numbers": (LOW, 2)}, {"numbers": (LOW,)}, {"inners": (INNER, Inner(LOW, "a"))}, {"inners": (Inner(3, Text("a")),)},
    {"pair": (LOW, 2)}, {"inner": Inner(LOW, "a")}, {"maybe": Inner(4, Text("b"))}, {"maybe": Inner(LOW, "a")},
]  # fmt: skip


class Shelf(Contract):
    outers: Vector[Outer]

    @call
    def add(self, outer: Outer) -> None:
        self.outers.append(outer)

    @call
    def change(self, case: u8) -> str:
        """Change the value twice, so that the second change finds what the first one left."""
        for after in (replace(OUTER), replace(OUTER, **OTHERS[case])):
            self.outers[0] = after
        return shown(self.outers[0])


def shown(value: Any) -> str:
    """A text with the classes of all parts."""
    parts = [getattr(value, name) for name in vars(value)] if hasattr(value, "__dict__") else value
    if isinstance(parts, tuple | list):
        return f"{type(value).__name__}({', '.join(map(shown, parts))})"
    return f"{type(value).__name__} {value!r}"


@pytest.mark.parametrize("case", range(len(OTHERS)))
def test_value_that_storage_converts_is_not_remembered(case: int) -> None:
    shelf = Chain(guard=False).deploy(Shelf)
    shelf.add(OUTER)
    assert shelf.change(case).return_value == shown(shelf.fields.outers[0])


@given(st.data())
def test_values_that_were_read_are_exact(drawn: Any, data: st.DataObject) -> None:
    kind, value = data.draw(drawn.typed)
    other = data.draw(drawn.values_of(kind))
    assert kind.is_exact(value)
    assert kind.stays_exact(other, value)
