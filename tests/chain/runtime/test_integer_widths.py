"""Widths hold at every border: what does not fit reverts, names the location and the width, and changes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import pytest

from chain import (
    Chain,
    Contract,
    Key,
    Map,
    Revert,
    Reverted,
    Set,
    System,
    Vector,
    call,
    error,
    event,
    init,
    model,
    view,
)
from chain.simulator.handle import Handle
from chain.types import felt252, i8, i256, u8, u16, u64, u256
from tests.chain.helpers import untyped


class Level(IntEnum):
    LOW = 3


@dataclass(frozen=True)
class Square:
    x: u8
    y: u8


@event
class Seen:
    id: Key[u8]
    n: u8
    path: list[u8]


@error
class TooMuch(Revert):
    n: u8


class Plain:
    n = 5


class Border(Contract):
    """Each entry lets any number through its argument, and stops it at another border."""

    first: u16
    shift: i8
    n: u8
    square: Square
    joker: u8 | None
    total: u256
    path: list[u8]
    name: str
    cells: Vector[u8]
    squares: Vector[Square]
    prices: Map[str, u8]
    by_number: Map[u8, u64]
    crowd: Set[u8]

    @init
    def new(self, first: u16 = 7) -> None:
        self.first, self.total = first, 1
        self.cells.append(1)
        self.crowd.add(1)

    @call
    def take(self, value: u8, more: list[Square | None], side: i8 = 0, id: felt252 = 0) -> None: ...

    @view
    def show(self, value: u8) -> u8:
        return value

    @call
    def give(self, n: i256) -> u8:
        return n

    @call
    def give_square(self, n: i256) -> list[Square]:
        return [Square(1, 2), Square(n, 2)]

    @call
    def give_nothing(self, n: i256) -> None:
        return n  # type: ignore[return-value]  # the mistake

    @call
    def keep(self, n: i256) -> None:
        self.total = 9
        self.n = n

    @call
    def keep_shift(self, n: i256) -> None:
        self.shift = n

    @call
    def keep_square(self, n: i256) -> None:
        self.square = Square(1, n)

    @call
    def keep_joker(self, n: i256) -> None:
        self.joker = n

    @call
    def keep_total(self, n: i256) -> None:
        self.total = n - 1

    @call
    def keep_path(self, n: i256) -> None:
        self.path = [1, n]

    @call
    def keep_name(self, n: i256) -> None:
        self.name = n  # type: ignore[assignment]  # the mistake

    @call
    def append(self, n: i256) -> None:
        self.cells.append(n)

    @call
    def set_item(self, n: i256) -> None:
        self.cells[0] = n

    @call
    def append_square(self, n: i256) -> None:
        self.squares.append(Square(n, 0))

    @call
    def price(self, n: i256) -> None:
        self.prices["tea"] = n

    @call
    def look_up(self, n: i256) -> None:
        self.by_number[n] = 1

    @call
    def join(self, n: i256) -> None:
        self.crowd.add(n)

    @call
    def tell(self, n: i256) -> None:
        self.emit(Seen(1, n, []))

    @call
    def tell_key(self, n: i256) -> None:
        self.emit(Seen(n, 1, []))

    @call
    def tell_path(self, n: i256) -> None:
        self.emit(Seen(1, 1, [1, n]))

    @call
    def tell_plain(self, n: i256) -> None:
        self.emit(Plain())

    @call
    def refuse(self, n: i256) -> None:
        raise TooMuch(n)

    @call
    def ask(self, n: i256) -> None:
        self.at(Border, self.address).show(n)


@model
class Board:
    id: Key[u8]
    moves: u8


class Game(System):
    @call
    def write(self, id: i256, moves: i256) -> None:
        self.world.write(Board(id, moves))

    @call
    def write_member(self, id: i256, moves: i256) -> None:
        self.world.write_member(Board(id, moves), "moves")


REFUSED = {
    "give": "give.result = 300 does not fit u8 (0..255)",
    "give_square": "give_square.result[1].x = 300 does not fit u8 (0..255)",
    "give_nothing": "give_nothing.result = 300 is not None, and the entry has no other return type: write '-> …'",
    "keep": "Border.n = 300 does not fit u8 (0..255)",
    "keep_shift": "Border.shift = 300 does not fit i8 (-128..127)",
    "keep_square": "Border.square.y = 300 does not fit u8 (0..255)",
    "keep_joker": "Border.joker = 300 does not fit u8 (0..255)",
    "keep_path": "Border.path[1] = 300 does not fit u8 (0..255)",
    "keep_name": "Border.name = 300 is not str",
    "append": "Border.cells[1] = 300 does not fit u8 (0..255)",
    "set_item": "Border.cells[0] = 300 does not fit u8 (0..255)",
    "append_square": "Border.squares[0].x = 300 does not fit u8 (0..255)",
    "price": "Border.prices['tea'] = 300 does not fit u8 (0..255)",
    "look_up": "Border.by_number[key] = 300 does not fit u8 (0..255)",
    "join": "Border.crowd[item] = 300 does not fit u8 (0..255)",
    "tell": "Seen.n = 300 does not fit u8 (0..255)",
    "tell_key": "Seen.id = 300 does not fit u8 (0..255)",
    "tell_path": "Seen.path[1] = 300 does not fit u8 (0..255)",
    "tell_plain": "TypeError: Plain is not an event: mark its class with @event",
    "refuse": "TooMuch.n = 300 does not fit u8 (0..255)",
    "ask": "show: value = 300 does not fit u8 (0..255)",
}


@pytest.fixture
def border(chain: Chain) -> Handle:
    return chain.deploy(Border)


def words(handle: Handle) -> dict[int, int]:
    return dict(handle.chain.state.storages[handle.address])


@pytest.mark.parametrize("entry", REFUSED)
def test_number_is_stopped_at_border(border: Handle, entry: str) -> None:
    before = words(border)
    receipt = getattr(border, entry)(300, check=False)
    assert (receipt.status, receipt.error.text) == (0, REFUSED[entry])
    assert (words(border), receipt.log_rows) == (before, ())


FITS = {
    "keep": 255,
    "keep_shift": 127,
    "append": 255,
    "set_item": 0,
    "price": 255,
    "join": 0,
    "tell": 255,
    "give": 255,
}


@pytest.mark.parametrize("entry", FITS)
def test_number_at_the_end_passes(border: Handle, entry: str) -> None:
    assert getattr(border, entry)(FITS[entry]).ok
    assert not getattr(border, entry)(-129, check=False).ok


OUT_OF_RANGE: list[tuple[tuple[Any, ...], str]] = [
    ((300, []), "take: value = 300 does not fit u8 (0..255)"),
    ((-1, []), "take: value = -1 does not fit u8 (0..255)"),
    ((2**255 - 1, []), f"take: value = {2**255 - 1} does not fit u8 (0..255)"),
    ((1, [None, Square(1, 256)]), "take: more[1].y = 256 does not fit u8 (0..255)"),
    ((1, [], -129), "take: side = -129 does not fit i8 (-128..127)"),
    (
        (1, [], 0, 2**252),
        f"take: id = {2**252} does not fit felt252 (0..{2**251 + 17 * 2**192:#x})",
    ),
]


@pytest.mark.parametrize(("args", "text"), OUT_OF_RANGE)
def test_argument_out_of_range_is_sent_and_refused(
    border: Handle, args: tuple[Any, ...], text: str
) -> None:
    with pytest.raises(Reverted) as caught:
        border.take(*args)
    assert (caught.value.receipt.status, caught.value.error.text) == (0, text)


def test_view_refuses_out_of_range(border: Handle) -> None:
    with pytest.raises(Reverted, match=r"show: value = 256 does not fit u8"):
        border.show(256)


def test_init_refuses_out_of_range(chain: Chain) -> None:
    with pytest.raises(Reverted, match=r"new: first = 65536 does not fit u16"):
        chain.deploy(Border, 65536)


WRONG: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
    (("5", []), {}, "take: value = '5' is not a whole number, as u8 is"),
    ((True, []), {}, "take: value = True is not a whole number, as u8 is"),
    ((5.0, []), {}, "take: value = 5.0 is not a whole number, as u8 is"),
    ((None, []), {}, "take: value = None is not a whole number, as u8 is"),
    ((2**256, []), {}, "take: value = a number of 257 bits does not fit u8 (0..255)"),
    ((1, 5), {}, "take: more = 5 is not list of Square | None"),
    ((1, [(1, 2)]), {}, "take: more[0] = (1, 2) is not Square"),
    ((1, [Square(300, untyped("2"))]), {}, "take: more[0].x = 300 does not fit u8 (0..255)"),
    ((), {}, "take needs 'value' (the keyword is an option of calls: pass it by position); it takes (value, more, side, id)"),
    ((1,), {}, "take needs 'more'; it takes (value, more, side, id)"),
    ((1, [], 0, 0, 0), {}, "take got 5 arguments; it takes (value, more, side, id)"),
    ((1, []), {"size": 5}, "take has no argument 'size'; it takes (value, more, side, id)"),
    ((1, []), {"more": []}, "take got 'more' twice; it takes (value, more, side, id)"),
]  # fmt: skip


@pytest.mark.parametrize(("args", "named", "text"), WRONG)
def test_wrong_arguments_are_never_sent(
    chain: Chain, border: Handle, args: tuple[Any, ...], named: dict[str, Any], text: str
) -> None:
    sent = len(chain.receipts)
    with pytest.raises(TypeError) as caught:
        border.take(*args, **named)
    assert (str(caught.value), len(chain.receipts)) == (text, sent)


def test_value_can_be_argument(border: Handle) -> None:
    assert border.show(value=5) == 5
    assert border.take(value=5, more=[]).args["value"] == 5


def test_enum_of_numbers_passes_as_number(border: Handle) -> None:
    assert border.keep(Level.LOW).ok
    assert type(border.fields.n) is int


def test_total_is_refused_below_zero(border: Handle) -> None:
    receipt = border.keep_total(0, check=False)
    assert receipt.error.text == "Border.total = -1 does not fit u256 (0..2^256-1)"


MODELS: list[tuple[str, tuple[int, int], str]] = [
    ("write", (1, 300), "Board.moves = 300 does not fit u8 (0..255)"),
    ("write", (300, 1), "Board.id = 300 does not fit u8 (0..255)"),
    ("write_member", (1, -1), "Board.moves = -1 does not fit u8 (0..255)"),
]


@pytest.mark.parametrize(("entry", "args", "text"), MODELS)
def test_model_is_stopped_at_border(
    chain: Chain, entry: str, args: tuple[int, int], text: str
) -> None:
    world = chain.deploy_world("test", systems=[Game], writers={Board: [Game]})
    receipt = getattr(world.system(Game), entry)(*args, check=False)
    assert (receipt.status, receipt.error.text) == (0, text)
    assert not world.exists(Board, 1)
