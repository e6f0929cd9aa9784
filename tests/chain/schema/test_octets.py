"""Bytes of records: kept by the identity of a record that never changes, and made anew for any other."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from chain.schema import octets
from chain.schema.annotations import type_of_annotation
from chain.schema.octets import last_octets, octets_packer
from chain.types import i8, u8


@dataclass(frozen=True)
class Square:
    x: i8
    y: i8


@dataclass(frozen=True)
class Stone:
    at: Square
    owner: u8


@dataclass
class Cursor:
    row: u8
    column: u8


def test_frozen_record_is_packed_once() -> None:
    pack, stone = octets_packer(type_of_annotation(Stone)), Stone(Square(-1, 2), 3)
    assert pack([stone, stone]) == b"\xff\x02\x03" * 2
    object.__setattr__(stone, "owner", 4)
    assert pack([stone]) == b"\xff\x02\x03"


@pytest.mark.parametrize(
    ("annotation", "value", "path"),
    [
        (Cursor, Cursor(1, 2), "row"),
        (Stone, SimpleNamespace(at=Square(1, 2), owner=3), "owner"),
        (Stone, Stone(SimpleNamespace(x=1, y=2), 3), "at.x"),  # type: ignore[arg-type]
        (tuple[Square, u8], (SimpleNamespace(x=1, y=2), 3), "0.x"),
    ],
)
def test_record_that_can_change_is_packed_each_time(annotation: Any, value: Any, path: str) -> None:
    pack = octets_packer(type_of_annotation(annotation))
    first, [*parents, name] = pack([value]), path.split(".")
    holder = value
    for parent in parents:
        holder = holder[int(parent)] if parent.isdigit() else getattr(holder, parent)
    setattr(holder, name, 7)
    assert first != pack([value])
    assert 7 in pack([value])


def test_last_tuple_is_packed_once() -> None:
    kind = type_of_annotation(Stone)
    pack, last = octets_packer(kind), last_octets(kind)
    board = Stone(Square(1, 2), 3), Stone(Square(4, 5), 6)
    packed = pack(board)
    assert last(board) is pack(board) is packed == b"\1\2\3\4\5\6"
    assert last((*board,)) is None
    assert pack(board[:1]) == packed[:3]
    assert last(board) is None and pack(board) == packed


@pytest.mark.parametrize(
    "board", [[Stone(Square(1, 2), 3)], (Cursor(1, 2),)], ids=["list", "record"]
)
def test_what_can_change_is_not_the_last_tuple(board: Any) -> None:
    kind = type_of_annotation(type(board[0]))
    octets_packer(kind)(board)
    assert last_octets(kind)(board) is None


def test_numbers_are_not_kept() -> None:
    assert last_octets(type_of_annotation(u8))((1, 2)) is None


def test_only_so_many_records_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(octets, "_MOST", 2)
    pack = octets_packer(type_of_annotation(Square))
    squares = [Square(x, y) for x in range(5) for y in range(5)]
    for _ in range(2):
        assert pack(squares) == bytes([number for s in squares for number in (s.x, s.y)])
