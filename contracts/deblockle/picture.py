"""A game as a picture: the cubes with the five faces that can be seen, who is to move, and what the faces mean.

A part is a square, named by its letter and number as in the text board: `c4`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from chain.pictures import (
    Markup,
    Part,
    Picture,
    circle,
    element,
    group,
    path,
    picture_of_parts,
    rect,
    text,
)
from chain.simulator.handle import Handle
from contracts.deblockle.board import SIZE, SQUARES, WIN_SQUARES
from contracts.deblockle.cubes import Face, opposite
from contracts.deblockle.models import Cube, Direction, Move, Phase, Position, State
from contracts.deblockle.notation import COLUMNS
from contracts.deblockle.rules import draw, legal_moves

COLOURS: Final = {1: "blue", 2: "orange"}
CELL: Final = 52
LEFT, TOP = 26, 28  # of the board
WIDTH: Final = LEFT + SIZE * CELL + 12
HEIGHT: Final = TOP + SIZE * CELL + 102

MEANINGS: Final = {
    Face.STAR: "star: may go home",
    Face.X_HOP: "X: one diagonally",
    Face.SLIDE: "slide: along a line",
    Face.HOOPS: "hoops: 1 or 3 away",
    Face.T_HOP: "T: one straight on",
    Face.STOP: "stop: no hop",
}
NAMES: Final = ("", "star", "X-hop", "slide", "hoops", "T-hop", "stop")
# Each sign in a box from -10 to 10: its lines, and what is filled.
LINES: Final = {
    Face.X_HOP: "M-6 -6L6 6M6 -6L-6 6",
    Face.SLIDE: "M-9 0H9M0 -9V9M-6 -3L-9 0L-6 3M6 -3L9 0L6 3M-3 -6L0 -9L3 -6M-3 6L0 9L3 6",
    Face.HOOPS: "M-8 6V2A8 8 0 0 1 8 2V6M-3 6V2A3 3 0 0 1 3 2V6",
    Face.T_HOP: "M-7 -6H7M0 -6V8",
}
FILLED: Final = {
    Face.STAR: "M0 -9L2.6 -3.2L8.8 -2.6L4.1 1.6L5.5 7.7L0 4.5L-5.5 7.7L-4.1 1.6L-8.8 -2.6L-2.6 -3.2Z",
    Face.STOP: "M-3.3 -8H3.3L8 -3.3V3.3L3.3 8H-3.3L-8 3.3V-3.3Z",
}


def picture(state: State) -> Picture:
    """The board, whose turn it is, and the signs on the faces."""
    cubes = {cube.position: cube for cube in state.game.board}
    return picture_of_parts(
        WIDTH,
        HEIGHT,
        (_square(square, cubes.get(square)) for square in SQUARES),
        ground=(_board(), *_status(state)),
        above=_targets(state),
        title=f"Deblockle: {_turn(state)}",
        description=draw(state),
    )


def read_state(game: Handle, index: int) -> State:
    """A game on a chain."""
    record = game.game_state(index)
    if record is None:
        raise LookupError(f"there is no game {index}")
    return State(record.game, game.fields.rolled[index])


def _turn(state: State) -> str:
    player = state.game.active_player
    match state.game.phase:
        case Phase.ROLL:
            return f"Player {player} to roll"
        case Phase.HOP:
            return f"Player {player} to hop"
        case Phase.END:
            return f"Player {player} has won"


def _corner(square: Position) -> tuple[int, int]:
    return LEFT + (square.x - 1) * CELL, TOP + (square.y - 1) * CELL


@cache
def _board() -> Markup:
    """The empty squares with both ways to name a column, the win squares and the legend."""
    return group(
        *(
            rect(*_corner(square), CELL, CELL, fill="sand-deep" if (square.x + square.y) % 2 else "sand")
            for square in SQUARES
        ),
        *(_home(square, COLOURS[player]) for player, square in WIN_SQUARES.items()),
        *_coordinates(),
        *_legend(),
    )  # fmt: skip


def _home(square: Position, colour: str) -> Markup:
    x, y = _corner(square)
    return group(
        rect(5, 5, CELL - 10, CELL - 10, rx=7, fill=f"{colour}-pale", stroke=colour, stroke_width=2),
        group(path(FILLED[Face.STAR], fill="none", stroke=colour, stroke_width=1.6), x=26, y=26),
        x=x,
        y=y,
    )  # fmt: skip


def _coordinates() -> Iterator[Markup]:
    for number in range(1, SIZE + 1):
        x = LEFT + (number - 0.5) * CELL
        yield text(x - 2, 14, COLUMNS[number], anchor="end", bold=True)
        yield text(x + 2, 14, str(number), fill="muted")
        yield text(LEFT - 13, TOP + (number - 0.5) * CELL, str(number), anchor="middle", bold=True)


def _legend() -> Iterator[Markup]:
    top = TOP + SIZE * CELL + 50
    for place, (face, meaning) in enumerate(MEANINGS.items()):
        row, col = divmod(place, 2)
        x, y = LEFT + 8 + col * 185, top + row * 18
        yield group(_sign(face, 0.72, "muted"), x=x, y=y)
        yield text(x + 14, y, meaning, size=12, fill="muted")


def _status(state: State) -> Iterator[Markup]:
    y = TOP + SIZE * CELL + 22
    colour = COLOURS[state.game.active_player]
    yield rect(LEFT, y - 8, 16, 16, rx=4, fill=colour, stroke=f"{colour}-deep")
    yield text(LEFT + 24, y, _turn(state), size=15, bold=True)
    x = WIDTH - 12
    for player in (2, 1):
        left = sum(cube.player == player for cube in state.game.board)
        for _ in range(left):
            x -= 15
            yield rect(x, y - 6, 12, 12, rx=3, fill=COLOURS[player])
        x -= 8
    yield text(x, y, "left", size=12, anchor="end", fill="muted")


def _square(square: Position, cube: Cube | None) -> Part:
    name = f"{COLUMNS[square.x]}{square.y}"
    if cube is None:
        return Part(name, *_corner(square), CELL, CELL)
    lies = cube.direction
    label = f"{COLOURS[cube.player]}, {NAMES[lies.up]} up"
    return Part(name, *_corner(square), CELL, CELL, _cube(cube.player, lies), label)


@cache
def _cube(player: int, lies: Direction) -> Markup:
    """A cube from above: the upper face in the middle, around it what would come up if it rolled away."""
    colour = COLOURS[player]
    around = (
        (26, 9, lies.front),
        (43, 26, lies.right),
        (26, 43, opposite(lies.front)),
        (9, 26, opposite(lies.right)),
    )
    seams = path(
        "M4 4L14 14M48 4L38 14M48 48L38 38M4 48L14 38", stroke="white", stroke_opacity=0.25
    )
    return element(
        "g",
        rect(2.5, 2.5, 47, 47, rx=8, fill=f"{colour}-deep"),
        seams,
        rect(14, 14, 24, 24, rx=4, fill=colour, stroke="white", stroke_opacity=0.35),
        group(_sign(lies.up, 0.95, "white"), x=26, y=26),
        *(group(_sign(face, 0.5, "white", 2.4), x=x, y=y) for x, y, face in around),
    )  # fmt: skip


def _sign(face: int, scale: float, colour: str, width: float = 2.2) -> Markup:
    size = f"scale({scale:g})"
    if face in FILLED:
        return path(FILLED[Face(face)], transform=size, fill=colour)
    return path(
        LINES[Face(face)], transform=size, fill="none", stroke=colour, stroke_width=width,
        stroke_linecap="round", stroke_linejoin="round",
    )  # fmt: skip


def _targets(state: State) -> Iterator[Markup]:
    """A ring around the cube that may hop, and dots where it can."""
    if state.rolled is None:
        return
    colour = COLOURS[state.game.active_player]
    x, y = _corner(state.rolled)
    yield rect(x + 1, y + 1, CELL - 2, CELL - 2, rx=9, fill="none", stroke=colour, stroke_width=2)
    for target in _hops(state):
        x, y = _corner(target)
        yield circle(x + CELL / 2, y + CELL / 2, 6, fill=colour, fill_opacity=0.75)


def _hops(state: State) -> list[Position]:
    moves: tuple[Move, ...] = legal_moves(state)
    return [move.target for move in moves]
