"""Joins of short texts: they are found where nothing else can be in the list, and pay for at least what they make."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain import Chain, Contract, call
from chain.metering.cheap_values import light_in, light_of
from chain.metering.text_pieces import Bounds, joins_of_pieces
from chain.types import u8
from tests.chain.helpers import failure_of

EMPTY = ("head", *["..|"] * 9)
MARKS: tuple[tuple[str, ...], ...] = ((), ("X1|", "O1|"), ("X2|", "long|"))
LETTERS = " XO"
LONG = "x" * 1_000
NUMBERS = (1, 2)
CONSTANTS = {
    "EMPTY": EMPTY, "MARKS": MARKS, "LETTERS": LETTERS, "LONG": LONG, "NUMBERS": NUMBERS,
    "MANY": (EMPTY,) * 1_000,
}  # fmt: skip


def joins_in(body: str) -> list[Bounds]:
    lines = [f"    {line}" for line in dedent(body).strip().splitlines()]
    function = ast.parse("\n".join(["def draw(cubes, text, where):", *lines])).body[0]
    assert isinstance(function, ast.FunctionDef)
    light = light_in(function, light_of(CONSTANTS, frozenset({"text"})))
    return [bounds for _, bounds in joins_of_pieces(function, light, CONSTANTS)]


COPIED = sum(map(len, EMPTY))
FOUND = {
    "marks of marks": ("for c in cubes: pieces[c.at] = MARKS[c.player][c.up]", 5),
    "a character": ("pieces[where] = LETTERS[where]", 3),
    "of two": ("pieces[0] = 'win' if where else LETTERS[0]", 3),
    "literal": ("pieces[where] = 'end of game'", 11),
    "nothing": ("pass", 0),
}


@pytest.mark.parametrize(("change", "replacing"), FOUND.values(), ids=FOUND.keys())
def test_join_of_replaced_constants_is_found(change: str, replacing: int) -> None:
    found = joins_in(f"pieces = list(EMPTY)\n{change}\nreturn '|'.join(pieces)")
    assert found == [Bounds(COPIED, replacing)]


OTHERS = {
    "replaced by any text": "pieces[0] = text",
    "part of a long text": "pieces[0] = LONG[where:]",
    "items of other items": "pieces[0] = NUMBERS[0][1]",
    "no text": "pieces[0] = NUMBERS[0]",
    "too many to look at": "pieces[0] = MANY[where][0]",
    "several at once": "pieces[1:2] = LETTERS",
    "and another": "pieces[0] = pieces[1] = LETTERS[0]",
    "grown in place": "pieces[0] += LETTERS[0]",
    "grown": "pieces += EMPTY",
    "appended": "pieces.append(text)",
    "another name": "others = pieces",
    "given away": "text(pieces)",
    "kept": "text = lambda: pieces",
    "bound again": "pieces = list(text)",
    "bound in a loop": "for pieces in cubes: pass",
    "walked": "for piece in pieces: text(piece)",
    "deleted": "del pieces[0]",
}


@pytest.mark.parametrize("change", OTHERS.values(), ids=OTHERS.keys())
def test_list_that_may_hold_other_texts_is_not(change: str) -> None:
    assert joins_in(f"pieces = list(EMPTY)\n{change}\nreturn ''.join(pieces)") == []


@pytest.mark.parametrize(
    "body",
    [
        "pieces = list(text)\nreturn ''.join(pieces)",
        "pieces = list(NUMBERS)\nreturn ''.join(pieces)",
        "pieces = [*EMPTY]\nreturn ''.join(pieces)",
        "pieces = list(EMPTY)\nreturn text.join(pieces)",
        "pieces = list(EMPTY)\nreturn ''.join(pieces, text)",
        "EMPTY = text\npieces = list(EMPTY)\nreturn ''.join(pieces)",
        "list = text\npieces = list(EMPTY)\nreturn ''.join(pieces)",
    ],
)
def test_other_join_is_not(body: str) -> None:
    assert joins_in(body) == []


@given(
    st.lists(
        st.tuples(
            st.slices(len(EMPTY)).filter(lambda part: part.step in (None, 1)),
            st.sampled_from([*MARKS[1], *MARKS[2]]),
        )
    ),
    st.text(max_size=3),
)
def test_bounds_hold_whatever_is_replaced(changes: list[tuple[slice, str]], separator: str) -> None:
    (bounds,) = joins_in(
        "pieces = list(EMPTY)\npieces[where] = MARKS[1][0]\npieces[0] = MARKS[2][1]\n''.join(pieces)"
    )
    pieces = list(EMPTY)
    for place, mark in changes:
        pieces[place] = mark  # the slice becomes the characters of the text
        pieces[-1:] = [mark]
    most = bounds.copied + (bounds.replacing + len(separator)) * len(pieces)
    assert len(separator.join(pieces)) <= most


BOARD = ("head", *["..|"] * 63)
LINES = ("",) * 17_000


class Painter(Contract):
    @call
    def draw(self, x: u8, player: u8) -> str:
        pieces = list(BOARD)
        pieces[x] = MARKS[player][0]
        return "".join(pieces)

    @call
    def add_up(self, x: u8, player: u8) -> str:
        pieces = list(BOARD)
        pieces[x] = MARKS[player][0]
        others = pieces  # so that their lengths are added up
        return "".join(others)

    @call
    def draw_too_much(self) -> None:
        lines = list(LINES)
        "----------------------------------------------------------------".join(lines)


def test_board_is_the_same_for_about_the_same_ticks(chain: Chain) -> None:
    painter = chain.deploy(Painter)
    short, plain = painter.draw(3, 2), painter.add_up(3, 2)
    assert short.return_value == plain.return_value == "head..|..|X2|" + "..|" * 60
    assert plain.ticks <= short.ticks <= plain.ticks + 128


def test_text_that_may_be_too_long_is_out_of_gas(chain: Chain) -> None:
    receipt = chain.deploy(Painter).draw_too_much(check=False)
    assert failure_of(receipt).text == "Painter.draw_too_much ran out of gas"
