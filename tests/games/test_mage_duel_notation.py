"""A board as a line of text and as a picture."""

from __future__ import annotations

import pytest

from contracts.mage_duel.board import cell_at
from contracts.mage_duel.rules import draw, from_text, to_text
from contracts.mage_duel.state import EMPTY_CELL, Ending, Move, PlayerSide
from contracts.mage_duel.tiles import Edge

LINE = (
    "CMMMMMMM/MMMMMMMR/MMMMMMMM/MMMMMMCM "
    "......../......../......../......../......../......../F1......./A0n0...... "
    "f acw 3,2 12,0 0,2 Rn0@17* 3 1060 -"
)
PICTURE = """\
        0   1   2   3   4   5   6   7
        ^   ^   ^   ^   ^   ^   ^   ^
      +---+---+---+---+---+---+---+---+
0  ^  |   |   |   |   |   |   |   |   |  r
      +---+---+---+---+---+---+---+---+
1  ^  |   |   |   |   |   |   |   |   |  ^
      +---+---+---+---+---+---+---+---+
2  ^  |   |   |   |   |   |   |   |   |  ^
      +---+---+---+---+---+---+---+---+
3  ^  |   |   |   |   |   |   |   |   |  ^
      +---+---+---+---+---+---+---+---+
4  ^  |   |   |   |   |   |   |   |   |  ^
      +---+---+---+---+---+---+---+---+
5  ^  |   |   |   |   |   |   |   |   |  ^
      +-r-+---+---+---+---+---+---+---+
6  c  r B c   |   |   |   |   |   |   |  ^
      +-c-+-f-+---+---+---+---+---+---+
7  ^  c B ! R f   |   |   |   |   |   |  ^
      +-c-+-r-+---+---+---+---+---+---+
        c   ^   ^   ^   ^   ^   ^   ^

Blue: 12 city, 0 road, 3 jokers
Red: 0 city, 2 road, 2 jokers
Deck: top tile CCRR, 3 below it
Blue to move
"""


def test_line_shows_the_board() -> None:
    state = from_text(LINE)
    assert state.ring[0] == state.ring[30] == Edge.CITY
    assert state.cells[cell_at(0, 6)] == (5, 1, PlayerSide.BLUE)
    assert state.cells[cell_at(1, 7)] == (13, 0, PlayerSide.RED)
    assert state.cells.count(EMPTY_CELL) == 61


def test_line_shows_the_game() -> None:
    state = from_text(LINE)
    assert (state.top_tile, state.deck, state.jokers) == (5, (0, 2, 22), (3, 2))
    assert state.scores == ((12, 0), (0, 2))
    assert state.last_move == Move(PlayerSide.RED, 13, 0, 1, 7, is_joker=True)
    assert (state.moves_done, state.updated_at, state.ending) == (3, 1060, None)


@pytest.mark.parametrize(
    ("ending", "word"),
    [
        (Ending.TWO_SKIPS, "two-skips"),
        (Ending.TIME_RAN_OUT, "time-ran-out"),
        (Ending.NOTHING_LEFT, "nothing-left"),
        (Ending.CANCELED, "canceled"),
    ],
)
def test_line_shows_the_ending(ending: Ending, word: str) -> None:
    line = f"{LINE[:-1]}{word}"
    assert from_text(line).ending == ending
    assert to_text(from_text(line)) == line


@pytest.mark.parametrize("last", ["-", "B", "Bf3@20", "Ra0@07*"])
def test_line_shows_the_last_move(last: str) -> None:
    line = LINE.replace("Rn0@17*", last)
    assert to_text(from_text(line)) == line


@pytest.mark.parametrize(
    "line",
    [
        "",
        LINE.replace("F1", "F4"),
        LINE.replace("F1", "Y1"),
        LINE.replace("CMMM", "FMMM", 1),
        LINE.replace("...../", "..../", 1),
        LINE.replace("@17", "@87"),
        LINE + " -",
        LINE[:-1] + "bored",
    ],
)
def test_other_lines_are_refused(line: str) -> None:
    with pytest.raises(ValueError, match="is not a board of Mage Duel"):
        from_text(line)


def test_picture_shows_the_board() -> None:
    assert draw(from_text(LINE)) == PICTURE


@pytest.mark.parametrize(
    ("line", "turn"),
    [
        (LINE.replace("Rn0@17*", "-"), "Either side may open"),
        (LINE.replace("Rn0@17*", "B"), "Red to move"),
        (LINE[:-1] + "nothing-left", "Over: no tiles and no jokers left"),
    ],
)
def test_picture_shows_the_turn(line: str, turn: str) -> None:
    assert draw(from_text(line)).endswith(f"{turn}\n")
