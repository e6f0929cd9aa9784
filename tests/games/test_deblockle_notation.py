"""The pictures, the line of text, and the document's JSON."""

from __future__ import annotations

import json

import pytest

from contracts.deblockle import rules
from contracts.deblockle.cubes import DIRECTIONS
from contracts.deblockle.models import GameRecord
from contracts.deblockle.notation import draw_cube, to_json
from contracts.deblockle.rules import from_text, to_text

STANDARD_SETUP = (
    "  :a  b  c  d  e  f  g\n"
    "  :1  2  3  4  5  6  7  \n"
    "1 |..|..|P2|..|X2|..|..|\n"
    "2 |..|..|..|__|..|..|..|\n"
    "3 |..|..|X2|..|T2|..|..|\n"
    "4 |..|..|..|..|..|..|..|\n"
    "5 |..|..|X1|..|X1|..|..|\n"
    "6 |..|..|..|__|..|..|..|\n"
    "7 |..|..|S1|..|L1|..|..|"
)

UNFOLDED_CUBE = (
    "  :-:  \n"
    "  |L|  \n"
    ":-:-:-:\n"
    "|T|S|X|\n"
    ":-:-:-:\n"
    "  |H|  \n"
    "  :-:  \n"
    "  |P|  \n"
    "  :-:  "
)  # fmt: skip

NOT_A_STATE = [
    "",
    "Roll 1",
    "Roll 3 - 1d7:236",
    "Draw 1 - 1d7:236",
    "Roll 1 - 1h7:236",
    "Roll 1 - 1d8:236",
    "Roll 1 - 1d7:237",
    "Roll 1 - 1d7:236 ",
    "Roll 1 - 1d7:236\n",
]


def test_board_is_drawn_exactly() -> None:
    assert rules.draw(from_text(to_text(rules.set_up()[0]))) == STANDARD_SETUP


def test_cube_on_win_square_shows() -> None:
    picture = rules.draw(from_text("Roll 1 - 1d2:412 2d6:642"))
    assert picture.splitlines()[3] == "2 |..|..|..|H1|..|..|..|"
    assert picture.splitlines()[7] == "6 |..|..|..|P2|..|..|..|"


def test_cube_is_unfolded_exactly() -> None:
    assert draw_cube(DIRECTIONS[1, 3, 2]) == UNFOLDED_CUBE


def test_cube_is_shown_with_layout() -> None:
    state, _ = rules.set_up()
    cube, text = rules.show_cube(state.game, 3, 7)
    assert (cube, text) == (state.game.board[2], UNFOLDED_CUBE)


@pytest.mark.parametrize(
    ("x", "y", "text"),
    [
        (4, 2, "no cube at position (4,2)"),
        (0, 7, "illegal position (0,7)"),
        (7, 8, "illegal position (7,8)"),
        (-128, 127, "illegal position (-128,127)"),
    ],
)
def test_missing_cube_is_explained(x: int, y: int, text: str) -> None:
    assert rules.show_cube(rules.set_up()[0].game, x, y) == (None, text)


@pytest.mark.parametrize(
    "line",
    [
        "Roll 1 - 1d7:236 2d1:531",
        "Hop 1 c6 1c6:426 2e1:412",
        "End 2 - 1e5:412",
        "Roll 1 -",
    ],
)
def test_line_reads_back(line: str) -> None:
    assert to_text(from_text(line)) == line


@pytest.mark.parametrize("line", NOT_A_STATE)
def test_other_line_is_rejected(line: str) -> None:
    with pytest.raises(ValueError, match="is no state: write it like"):
        from_text(line)


@pytest.mark.parametrize("faces", ["223", "256", "163"])
def test_impossible_cube_is_rejected(faces: str) -> None:
    with pytest.raises(ValueError, match="two of its faces are the same or opposite"):
        from_text(f"Roll 1 - 1d7:{faces}")


def test_record_is_documents_json() -> None:
    state = from_text("End 2 - 1c6:426")
    record = GameRecord(state.game, True, "first.testnet", "second.testnet")
    assert json.dumps(to_json(record)) == (
        '{"game": {"phase": "End", "active_player": 2, "board": [{"player": 1, '
        '"position": {"x": 3, "y": 6}, "direction": {"up": 4, "front": 2, "right": 6}}]}, '
        '"is_finished": true, "first_player": "first.testnet", '
        '"second_player": "second.testnet"}'
    )
