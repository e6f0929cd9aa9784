"""The ways to write a game down: pictures of board and cube, a state as a line, a record as JSON.

The pictures are those of the document, blank for blank. The line is our own:

    Hop 1 c6 1c6:426 2e1:412

names the phase, the active player, the square of the cube that was just rolled (`-` if none was),
then each cube by its player, its square and its upper, front and right face.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final

from contracts.deblockle.board import SIZE, SQUARE_AT, SQUARES, WIN_SQUARES
from contracts.deblockle.cubes import DIRECTIONS, opposite
from contracts.deblockle.models import Cube, Direction, Game, GameRecord, Phase, Position, State

LETTERS: Final = " SXLHTP"  # of the faces 1 to 6: Star, X-hop, sLide, Hoops, T-hop, stoP
COLUMNS: Final = " abcdefg"
LINE: Final = re.compile(r"(Roll|Hop|End) ([12]) (-|[a-g][1-7])((?: [12][a-g][1-7]:[1-6]{3})*)")

LAYOUT: Final = "\n".join(
    (
        "  :-:  ",
        "  |{front}|  ",
        ":-:-:-:",
        "|{left}|{up}|{right}|",
        ":-:-:-:",
        "  |{back}|  ",
        "  :-:  ",
        "  |{down}|  ",
        "  :-:  ",
    )
)


def _empty_board() -> Iterator[str]:
    """Eight pieces a row, a head and seven cells, so that the cell of a square is piece 8y + x."""
    yield "  :a  b  c  d  e  f  g\n  :1  2  3  4  5  6  7  "
    yield from [""] * SIZE
    for y in range(1, SIZE + 1):
        yield f"\n{y} |"
        for x in range(1, SIZE + 1):
            yield "__|" if SQUARE_AT[x, y] in WIN_SQUARES.values() else "..|"


EMPTY_BOARD: Final = tuple(_empty_board())
CELLS: Final = ((), *(tuple(f"{letter}{player}|" for letter in LETTERS) for player in (1, 2)))


def draw(state: State) -> str:
    """The board as players see it: each cube by its upper face and its player."""
    pieces = list(EMPTY_BOARD)
    for cube in state.game.board:
        square = cube.position
        pieces[8 * square.y + square.x] = CELLS[cube.player][cube.direction.up]
    return "".join(pieces)


def draw_cube(direction: Direction) -> str:
    """The six faces of a cube, unfolded."""
    return LAYOUT.format(
        up=LETTERS[direction.up],
        front=LETTERS[direction.front],
        right=LETTERS[direction.right],
        down=LETTERS[opposite(direction.up)],
        back=LETTERS[opposite(direction.front)],
        left=LETTERS[opposite(direction.right)],
    )


def to_text(state: State) -> str:
    """The whole state as one line."""
    game = state.game
    rolled = _name(state.rolled) if state.rolled else "-"
    return " ".join([f"{game.phase} {game.active_player} {rolled}", *map(_write_cube, game.board)])


def from_text(text: str) -> State:
    """The state that `to_text` wrote down."""
    line = LINE.fullmatch(text)
    if line is None:
        raise ValueError(f"{text!r} is no state: write it like 'Roll 1 - 1d7:236 2d1:531'")
    phase, active_player, rolled, cubes = line.groups()
    board = tuple(map(_read_cube, cubes.split()))
    return State(
        Game(Phase[phase.upper()], int(active_player), board),
        rolled=None if rolled == "-" else SQUARES_BY_NAME[rolled],
    )


def to_json(record: GameRecord) -> dict[str, Any]:
    """The record in the shape of the customer's document."""
    game = record.game
    return {
        "game": {
            "phase": str(game.phase),
            "active_player": game.active_player,
            "board": [asdict(cube) for cube in game.board],
        },
        "is_finished": record.is_finished,
        "first_player": record.first_player,
        "second_player": record.second_player,
    }


def _write_cube(cube: Cube) -> str:
    lies = cube.direction
    return f"{cube.player}{_name(cube.position)}:{lies.up}{lies.front}{lies.right}"


def _read_cube(text: str) -> Cube:
    player, square, (up, front, right) = text[0], text[1:3], map(int, text[4:])
    direction = DIRECTIONS.get((up, front, right))
    if direction is None:
        raise ValueError(f"{text!r} is no cube: two of its faces are the same or opposite")
    return Cube(int(player), SQUARES_BY_NAME[square], direction)


def _name(square: Position) -> str:
    return f"{COLUMNS[square.x]}{square.y}"


SQUARES_BY_NAME: Final[Mapping[str, Position]] = {_name(square): square for square in SQUARES}
