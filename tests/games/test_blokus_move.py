"""The Move object as the document describes it."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from hypothesis import given

from contracts.blokus.move import Move, pass_of, piece_named
from tests.games.blokus_moves import moves, placements

I1 = piece_named("I1")
GOOD: dict[str, Any] = {"piece": I1, "position": (10, 10), "rotation": 90, "player_id": 1}
PASS: dict[str, Any] = {**GOOD, "piece": None, "position": None, "is_pass": True}


def test_arguments_have_an_order() -> None:
    move = Move(I1, (5, 6), 90, 2, False, True)
    assert (move.piece, move.position, move.rotation) == (I1, (5, 6), 90)
    assert (move.player_id, move.is_pass, move.flip) == (2, False, True)


def test_pass_and_flip_default_to_false() -> None:
    move = Move(I1, (5, 5), 0, player_id=1)
    assert move.is_pass is False
    assert move.flip is False


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (GOOD | {"piece": None}, "Move must specify piece unless passing"),
        (GOOD | {"piece": I1.place((0, 0))}, "Cannot place already-placed piece"),
        (GOOD | {"position": None}, "Move must specify position unless passing"),
        (GOOD | {"position": (20, 0)}, "Position out of board bounds"),
        (GOOD | {"position": (0, 20)}, "Position out of board bounds"),
        (GOOD | {"position": (-1, 0)}, "Position out of board bounds"),
        (GOOD | {"position": (0, -1)}, "Position out of board bounds"),
        (GOOD | {"rotation": 45}, "Invalid rotation: 45"),
        (GOOD | {"rotation": 360}, "Invalid rotation: 360"),
        (GOOD | {"player_id": 0}, "Invalid player_id: 0"),
        (GOOD | {"player_id": 5}, "Invalid player_id: 5"),
        (PASS | {"piece": I1}, "A pass carries neither piece nor position"),
        (PASS | {"position": (0, 0)}, "A pass carries neither piece nor position"),
        (PASS | {"piece": I1.place((0, 0))}, "Cannot place already-placed piece"),
        (PASS | {"position": (0, 99)}, "Position out of board bounds"),
        (PASS | {"rotation": 1}, "Invalid rotation: 1"),
        (PASS | {"player_id": 7}, "Invalid player_id: 7"),
    ],
)
def test_bad_move_cannot_be_made(fields: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the whole text is compared below
        Move(**fields)
    assert str(refused.value) == text


@pytest.mark.parametrize(
    ("mended", "text"),
    [
        ({}, "Move must specify piece unless passing"),
        ({"piece": I1}, "Position out of board bounds"),
        ({"piece": I1, "position": (0, 0)}, "Invalid rotation: 45"),
        ({"piece": I1, "position": (0, 0), "rotation": 0}, "Invalid player_id: 9"),
    ],
)
def test_first_fault_is_named(mended: dict[str, Any], text: str) -> None:
    bad = {"piece": None, "position": (-1, 0), "rotation": 45, "player_id": 9}
    with pytest.raises(ValueError, match=f"^{text}$"):
        Move(**(bad | mended))


def test_pass_may_carry_flip() -> None:
    assert Move(None, None, 0, 1, is_pass=True, flip=True).flip


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (
            Move(I1, (10, 10), 90, 1, flip=True),
            "Move(player=1, piece=I1, position=(10, 10), rotation=90°, flip=True)",
        ),
        (
            Move(I1, (0, 0), 0, 2),
            "Move(player=2, piece=I1, position=(0, 0), rotation=0°, flip=False)",
        ),
        (pass_of(1), "Move(player=1, action=pass)"),
    ],
)
def test_move_shows_itself(move: Move, text: str) -> None:
    assert repr(move) == str(move) == text


def test_move_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Move(**GOOD).rotation = 45  # type: ignore[misc]


@given(moves)
def test_move_survives_json(move: Move) -> None:
    assert Move.from_dict(json.loads(json.dumps(move.to_dict()))) == move


def test_record_has_the_fields_named() -> None:
    assert Move(I1, (3, 4), 90, 2, flip=True).to_dict() == {
        "piece": "I1",
        "position": [3, 4],
        "rotation": 90,
        "player_id": 2,
        "is_pass": False,
        "flip": True,
    }


def test_old_record_means_unflipped() -> None:
    record = Move(**GOOD, flip=True).to_dict()
    del record["flip"]
    assert Move.from_dict(record) == Move(**GOOD, flip=False)


def test_unknown_piece_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^Unknown piece: V4$"):
        Move.from_dict(pass_of(1).to_dict() | {"piece": "V4"})


@given(placements, placements)
def test_equal_moves_are_one(one: Move, other: Move) -> None:
    assert (one == other) == (one.to_dict() == other.to_dict())
    assert len({one, other}) == (1 if one == other else 2)
