"""Values as people read them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import pytest

from chain import Address, Chain
from chain.explorer.names import Names
from chain.explorer.words import ShortWords, WholeWords, keyword, prose


class Shape(Enum):
    U5 = 1


@dataclass(frozen=True)
class Square:
    row: int
    col: int


@dataclass(frozen=True)
class Turn:
    shape: Shape | None
    at: Square
    flip: bool = False
    note: str = ""


@pytest.fixture(scope="module")
def names() -> Names:
    return Names(Chain().ledger)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (
            Turn(Shape.U5, Square(9, 15)),
            "Turn(shape=U5, at=Square(row=9, col=15), flip=False, note='')",
        ),
        ([Square(1, 2), "text"], "[Square(row=1, col=2), 'text']"),
        ("text", "text"),
        (None, "None"),
        (b"\x01\x02", "0x0102"),
    ],
)
def test_a_record_keeps_the_names_of_its_fields(names: Names, value: object, words: str) -> None:
    assert ShortWords(names).word(value) == words


def test_an_address_is_a_link_with_its_name(names: Names) -> None:
    address = Address(Chain().accounts[0])
    assert '<a href="/account/alice"' in WholeWords(names).show(address)


@pytest.mark.parametrize("name", ["..", "a/b", "<b>", ".", "a b", "%2e"])
def test_a_name_that_a_path_would_change_goes_by_its_address(name: str) -> None:
    chain = Chain()
    account = chain.account(name)
    assert Names(chain.ledger).url(bytes(account)) == f"/account/{Address(account)}"


def test_a_long_value_unfolds(names: Names) -> None:
    shown = WholeWords(names).value(list(range(1_000)))
    assert shown.startswith("<details><summary>")
    assert len(WholeWords(names).value("<" * 100_000)) < 40_000


@pytest.mark.parametrize(
    ("value", "word"),
    [(True, "true"), (None, "null"), (7, "7"), (Shape.U5, "U5"), ([1, 2], "[1,2]"), (b"\xff", "0xff")],
)  # fmt: skip
def test_a_value_as_it_is_typed(value: object, word: str) -> None:
    assert keyword(value) == word


def test_what_stands_between_backticks_is_code() -> None:
    assert prose("so does `<pass>`.") == "so does <code>&lt;pass&gt;</code>."
    assert prose("one ` alone") == "one ` alone"
