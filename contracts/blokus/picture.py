"""A position as a picture: the board with the open corners of the player to move, and below it what each player has left.

A part is a square, named `row,col` as in moves and events.
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
from contracts.blokus.board import CORNERS, POSITIONS, SIDE, STRIDE, indices
from contracts.blokus.legal import room
from contracts.blokus.pieces import PIECES, Piece
from contracts.blokus.rules import draw, outcome
from contracts.blokus.scoring import scores
from contracts.blokus.state import Seat, State

COLOURS: Final = ("blue", "yellow", "red", "green")  # of players 1 to 4
CELL: Final = 18
LEFT, TOP = 22, 22  # of the board
WIDTH: Final = 404
TRAY_TOP: Final = TOP + SIDE * CELL + 14
TRAY: Final = (186, 90)  # the size of a player's panel
TRAY_GAP: Final = 8
UNIT: Final = 5  # a square of a piece in a panel
TRAY_UNITS: Final = 34  # in a line of pieces


def picture(state: State) -> Picture:
    """The board, and a panel for each player."""
    panels = (len(state.seats) + 1) // 2
    return picture_of_parts(
        WIDTH,
        TRAY_TOP + panels * (TRAY[1] + TRAY_GAP) + 4,
        _squares(state),
        ground=(_board(), *_panels(state)),
        above=(*map(_borders, state.seats, COLOURS), *_open_corners(state)),
        title=f"Blokus: {_turn(state)}",
        description=draw(state),
    )


def read_state(game: Handle, game_id: int) -> State:
    """The position of a game on a chain."""
    state: State = game.state(game_id).read()
    return state


def _turn(state: State) -> str:
    return f"Player {state.turn} to move" if state.turn else "The game is over"


@cache
def _board() -> Markup:
    """The empty squares with their coordinates."""
    size = SIDE * CELL
    lines = "".join(
        f"M{LEFT} {TOP + i * CELL}h{size}M{LEFT + i * CELL} {TOP}v{size}" for i in range(1, SIDE)
    )
    numbers = [
        label
        for i in range(0, SIDE, 2)
        for label in (
            text(LEFT + i * CELL + CELL / 2, 12, str(i), size=11, anchor="middle", fill="muted"),
            text(LEFT - 6, TOP + i * CELL + CELL / 2, str(i), size=11, anchor="end", fill="muted"),
        )
    ]
    return group(
        rect(LEFT, TOP, size, size, rx=2, fill="cell"),
        path(lines, stroke="line", stroke_width=0.8, fill="none"),
        *numbers,
    )


def _squares(state: State) -> Iterator[Part]:
    owners = {
        index: colour
        for seat, colour in zip(state.seats, COLOURS, strict=False)
        for index in indices(seat.squares)
    }
    for index, (_, col) in enumerate(POSITIONS):
        if col < SIDE:
            yield _square(index, owners.get(index))


@cache
def _square(index: int, colour: str | None) -> Part:
    row, col = POSITIONS[index]
    at = LEFT + col * CELL, TOP + row * CELL
    if colour is None:
        return Part(f"{row},{col}", *at, CELL, CELL)
    return Part(f"{row},{col}", *at, CELL, CELL, rect(0, 0, CELL, CELL, fill=colour), colour)


def _borders(seat: Seat, colour: str) -> Markup:
    """The lines around a player's pieces and, fainter, between the squares of one."""
    outer: list[str] = []
    inner: list[str] = []
    squares = seat.squares
    for index in indices(squares):
        row, col = POSITIONS[index]
        x, y = LEFT + col * CELL, TOP + row * CELL
        for edge, beside in (
            (f"M{x} {y}h{CELL}", index - STRIDE),
            (f"M{x} {y}v{CELL}", index - 1),
        ):
            (inner if beside >= 0 and squares >> beside & 1 else outer).append(edge)
        if not squares >> index + STRIDE & 1:
            outer.append(f"M{x} {y + CELL}h{CELL}")
        if not squares >> index + 1 & 1:
            outer.append(f"M{x + CELL} {y}v{CELL}")
    line = {"fill": "none", "stroke": f"{colour}-deep"}
    return element(
        "g",
        path("".join(inner), stroke_width=1, stroke_opacity=0.45, **line),
        path("".join(outer), stroke_width=1.8, stroke_linecap="round", **line),
    )


def _open_corners(state: State) -> Iterator[Markup]:
    """Dots where the player to move may touch their own pieces, and rings where others begin."""
    for seat, corner, colour in zip(state.seats, CORNERS, COLOURS, strict=False):
        if not seat.squares:
            yield circle(*_middle(*corner), 3.4, fill="none", stroke=colour, stroke_width=1.6)
    if not state.turn:
        return
    free, corners = room(state, state.turn)
    colour = COLOURS[state.turn - 1]
    for index in indices(free & corners):
        yield circle(
            *_middle(*POSITIONS[index]), 3, fill=colour, stroke=f"{colour}-deep", stroke_width=0.8
        )


def _middle(row: int, col: int) -> tuple[float, float]:
    return LEFT + col * CELL + CELL / 2, TOP + row * CELL + CELL / 2


def _panels(state: State) -> Iterator[Markup]:
    points, ended = scores(state), outcome(state)
    for index, seat in enumerate(state.seats):
        player = index + 1
        word = "to move" if player == state.turn else "passed" if seat.passed else ""
        if ended and player in ended.winners:
            word = "won"
        row, col = divmod(index, 2)
        x = 12 + col * (TRAY[0] + TRAY_GAP)
        y = TRAY_TOP + row * (TRAY[1] + TRAY_GAP)
        is_marked = player == state.turn or word == "won"
        panel = _panel(seat.hand, player, points[index], word, is_marked)
        yield group(panel, x=x, y=y)


def _panel(hand: int, player: int, points: int, word: str, is_marked: bool) -> Markup:
    """A player's points, and the pieces: those left in colour, those placed as shadows."""
    colour, (width, height) = COLOURS[player - 1], TRAY
    border = colour if is_marked else None
    shadows = "".join(tile for number, tile in enumerate(_tray()) if not hand >> number & 1)
    left = "".join(tile for number, tile in enumerate(_tray()) if hand >> number & 1)
    return element(
        "g",
        rect(0, 0, width, height, rx=6, fill="panel", stroke=border, stroke_width=2),
        rect(9, 9, 12, 12, rx=3, fill=colour, stroke=f"{colour}-deep"),
        text(27, 15, f"Player {player}", bold=True),
        text(94, 15, word, size=12, fill="muted"),
        text(width - 9, 15, f"{points}".replace("-", "−"), anchor="end", bold=True),
        path(shadows, fill="line", fill_opacity=0.6),
        path(left, fill=colour),
    )


@cache
def _tray() -> tuple[str, ...]:
    """The outlines of the 21 pieces, each in its own place in a panel."""
    x, line, tiles = 0, 0, []
    heights = [0]
    for piece in PIECES:
        cells = _lying(piece)
        width, height = (1 + max(cell[way] for cell in cells) for way in (1, 0))
        if x + width > TRAY_UNITS:
            x, line = 0, line + 1
            heights.append(0)
        heights[line] = max(heights[line], height)
        tiles.append((cells, x, line))
        x += width + 1
    tops = [sum(heights[:i]) + i for i in range(len(heights))]
    return tuple(
        "".join(
            f"M{10 + (left + col) * UNIT} {31 + (tops[line] + row) * UNIT}h4.6v4.6h-4.6z"
            for row, col in cells
        )
        for cells, left, line in tiles
    )


def _lying(piece: Piece) -> list[tuple[int, int]]:
    """The squares of a piece, turned so that it is wider than high."""
    height, width = (1 + max(cell[way] for cell in piece.cells) for way in (0, 1))
    if height <= width:
        return list(piece.cells)
    return [(col, height - 1 - row) for row, col in piece.cells]
