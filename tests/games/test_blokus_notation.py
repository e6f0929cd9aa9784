"""Positions as text and as pictures."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.blokus.move import Move, piece_named
from contracts.blokus.notation import draw, from_text, to_text
from contracts.blokus.playouts import random_game
from contracts.blokus.rules import play
from contracts.blokus.state import Scoring, State, start

EMPTY = "/".join(["20"] * 20)
ONE_DOWN = "/".join(["a19", *["20"] * 19])
REST = "F5,I2,I3,I4,I5,L4,L5,N5,O4,P5,T4,T5,U5,V3,V5,W5,X5,Y5,Z4,Z5"
ALL_BUT_I1 = f"{ONE_DOWN} 2 basic {REST}+I1 *"

games = st.builds(
    lambda seed, players, scoring: tuple(random_game(seed, players, scoring)),
    seed=st.integers(0, 2**32),
    players=st.integers(2, 4),
    scoring=st.sampled_from(Scoring),
)


def after_first_square() -> State:
    return play(start(2, Scoring.BASIC), Move(piece_named("I1"), (0, 0), 0, 1))


def test_start_is_one_line() -> None:
    assert to_text(start()) == f"{EMPTY} 1 original * * * *"
    assert from_text(f"{EMPTY} 1 advanced * *") == start(2, Scoring.ADVANCED)


def test_first_square_is_written() -> None:
    assert to_text(after_first_square()) == ALL_BUT_I1
    assert from_text(ALL_BUT_I1) == after_first_square()


@settings(max_examples=15, deadline=None)
@given(games)
def test_text_is_read_back(game: tuple[State, ...]) -> None:
    for state in game:
        text = to_text(state)
        assert "\n" not in text
        assert from_text(text) == state


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "a position has 5 to 7 words, this text has 1"),
        (f"{EMPTY} 1 original *", "a position has 5 to 7 words, this text has 4"),
        (f"{EMPTY} 1 original * * * * *", "a position has 5 to 7 words, this text has 8"),
        (f"{EMPTY}/20 1 original * *", "not 20 rows of 20 squares of 2 players: "),
        (f"{EMPTY[:-1]}1 1 original * *", "not 20 rows of 20 squares of 2 players: "),
        (f"c{EMPTY[1:-1]}19 1 original * *", "not 20 rows of 20 squares of 2 players: "),
        (f"{EMPTY} 3 original * *", "it cannot be the turn of 3"),
        (f"{EMPTY} - original * *", "it cannot be the turn of -"),
        (f"{EMPTY} 1 original *! *", "it cannot be the turn of 1"),
        (f"{EMPTY} 1 original *! *!", "it cannot be the turn of 1"),
        (f"{EMPTY} 1 spec001 * *", "not a scoring: spec001"),
        (f"{EMPTY} 1 original ? *", "not a player's pieces: ?"),
        (f"{EMPTY} 1 original - *", "89 squares are out of hand, 0 on the board: -"),
        (f"{ONE_DOWN} 2 basic * *", "0 squares are out of hand, 1 on the board: *"),
        (f"{ONE_DOWN} 2 basic {REST} *", "the last piece placed is not one of those placed: "),
        (f"{ONE_DOWN} 2 basic {REST}+F5 *", "the last piece placed is not one of those placed: "),
        (f"{EMPTY} 1 original *+F5 *", "the last piece placed is not one of those placed: *+F5"),
        (f"{ONE_DOWN} 2 basic {REST}+V4 *", "Unknown piece: V4"),
        (f"{ONE_DOWN} 2 basic {REST},Z6+I1 *", "Unknown piece: Z6"),
        (f"{ONE_DOWN} 2 basic {REST},Z5+I1 *", "not as a position is written: "),
        (f"{ONE_DOWN} 2 basic I2,F5,{REST[6:]}+I1 *", "not as a position is written: "),
        (f"{EMPTY} 1 original F5,I1,{REST[3:]} *", "not as a position is written: "),
        (f"a118/{EMPTY[:-3]} 2 basic {REST}+I1 *", "not as a position is written: "),
        (f"{EMPTY[:-2]}{'.' * 20} 1 original * *", "not as a position is written: "),
        (f"{EMPTY[:-2]}99999999999 1 original * *", "not 20 rows of 20 squares of 2 players: "),
    ],
)
def test_other_text_is_refused(text: str, fault: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the text is compared below
        from_text(text)
    assert str(refused.value).startswith(fault)


def test_picture_shows_the_board() -> None:
    state = play(after_first_square(), Move(piece_named("V3"), (0, 19), 270, 2))
    head, first, second, third, *_ = draw(state).splitlines()
    assert head.split() == [str(col) for col in range(20)]
    assert first.split() == ["0", "1", *["."] * 17, "2", "2"]
    assert second.split() == ["1", ".", "+", *["."] * 16, "2", "."]
    assert third.split() == ["2", *["."] * 20]


def test_picture_shows_open_corners_only() -> None:
    state = play(start(2), Move(piece_named("V3"), (0, 0), 0, 1))
    state = play(state, Move(piece_named("I1"), (0, 19), 0, 2))
    _, first, second, third, *_ = [line.split()[1:4] for line in draw(state).splitlines()]
    assert first == ["1", ".", "+"]
    assert second == ["1", "1", "."]
    assert third == [".", ".", "+"]


def test_picture_shows_the_players() -> None:
    *_, one, two = draw(after_first_square()).splitlines()
    assert one == f"  1:  -88 points, left: {REST.replace(',', ' ')}"
    assert two == f"> 2:  -89 points, left: F5 I1 {REST[3:].replace(',', ' ')}"


def test_picture_shows_passes() -> None:
    *_, last = random_game(1)
    picture = draw(last)
    assert picture.count("points, passed, left: ") == 4
    assert "+" not in picture
    assert ">" not in picture
