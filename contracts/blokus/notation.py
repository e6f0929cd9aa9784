"""A position as one line of text, and as a picture.

The line has the rows of the board, the player to move (`-` when the game is over), the scoring, and
a word for each player. In a row a letter is a square of player a, b, c or d and a number is a run
of empty squares; `/` ends it. A player's word lists the pieces left (`*` all, `-` none), then `+`
and the last piece placed, then `!` after a pass:

    aa18/1a18/1a18/20/…/20 2 original F5,I1,…,Z5+Z5 *
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import Final

from contracts.blokus.board import POSITIONS, SIDE, Squares, square
from contracts.blokus.legal import room
from contracts.blokus.move import piece_named
from contracts.blokus.pieces import FULL_HAND, NUMBERS, PIECES, hand_of, pieces_in
from contracts.blokus.scoring import scores
from contracts.blokus.state import Scoring, Seat, State

LETTERS: Final = "abcd"
EMPTY: Final = "."
OPEN: Final = "+"
OUT: Final = "!"

_SEAT: Final = re.compile(r"(\*|-|[A-Z0-9,]+)(?:\+([A-Z0-9]+))?(!?)")


def to_text(state: State) -> str:
    rows = "/".join(_packed(row) for row in _rows(state, LETTERS))
    seats = [_seat_text(seat) for seat in state.seats]
    return " ".join([rows, str(state.turn or "-"), state.scoring.name.lower(), *seats])


def from_text(text: str) -> State:
    """The position that `to_text` writes so; ValueError for any other text.

    It looks at what is counted and whose turn it is, not at how the pieces came to lie there.
    """
    words = text.split(" ")
    if not 5 <= len(words) <= 7:
        raise ValueError(f"a position has 5 to 7 words, this text has {len(words)}")
    rows, turn, scoring, *seat_words = words
    boards = _read_rows(rows, len(seat_words))
    seats = tuple(_read_seat(word, own) for word, own in zip(seat_words, boards, strict=True))
    state = State(seats, _read_turn(turn, seats), _read_scoring(scoring))
    if to_text(state) != text:
        raise ValueError(f"not as a position is written: {text}")
    return state


def draw(state: State) -> str:
    """The board with the open corners of the player to move as `+`, and a line for each player."""
    open_corners = _open_corners(state)
    lines = ["   " + "".join(f"{col:>3}" for col in range(SIDE))]
    for number, row in enumerate(_rows(state, "1234", open_corners)):
        lines.append(f"{number:>3}" + "".join(f"{mark:>3}" for mark in row))
    lines += [_seat_line(state, player) for player in range(1, len(state.seats) + 1)]
    return "\n".join(lines)


def _rows(state: State, marks: str, open_corners: Squares = 0) -> list[str]:
    layers = [(seat.squares, mark) for seat, mark in zip(state.seats, marks, strict=False)]
    layers.append((open_corners, OPEN))
    return ["".join(_mark(layers, square(row, col)) for col in range(SIDE)) for row in range(SIDE)]


def _mark(layers: list[tuple[Squares, str]], here: Squares) -> str:
    return next((mark for squares, mark in layers if squares & here), EMPTY)


def _packed(row: str) -> str:
    runs = [(mark, len(list(run))) for mark, run in groupby(row)]
    return "".join(str(length) if mark == EMPTY else mark * length for mark, length in runs)


def _read_rows(text: str, players: int) -> tuple[Squares, ...]:
    rows = [re.sub(r"[0-9]{1,2}", lambda run: EMPTY * int(run[0]), row) for row in text.split("/")]
    letters = LETTERS[:players]
    if len(rows) != SIDE or any(len(row) != SIDE or row.strip(letters + EMPTY) for row in rows):
        raise ValueError(f"not {SIDE} rows of {SIDE} squares of {players} players: {text}")
    fenced = EMPTY.join(rows) + EMPTY
    return tuple(
        sum(1 << index for index in range(len(POSITIONS)) if fenced[index] == letter)
        for letter in letters
    )


def _seat_text(seat: Seat) -> str:
    names = ",".join(piece.name for piece in pieces_in(seat.hand))
    left = "*" if seat.hand == FULL_HAND else names or "-"
    last = "" if seat.last_piece is None else f"+{PIECES[seat.last_piece].name}"
    return left + last + OUT * seat.passed


def _read_seat(text: str, own: Squares) -> Seat:
    found = _SEAT.fullmatch(text)
    if found is None:
        raise ValueError(f"not a player's pieces: {text}")
    left, last, passed = found.groups()
    hand = _read_hand(left)
    placed = sum(piece.size for piece in pieces_in(FULL_HAND ^ hand))
    if placed != own.bit_count():
        raise ValueError(
            f"{placed} squares are out of hand, {own.bit_count()} on the board: {text}"
        )
    number = None if last is None else NUMBERS[piece_named(last).name]
    if (number is None) != (hand == FULL_HAND) or (number is not None and hand >> number & 1):
        raise ValueError(f"the last piece placed is not one of those placed: {text}")
    return Seat(own, hand, bool(passed), number)


def _read_hand(text: str) -> int:
    if text == "*":
        return FULL_HAND
    names = [] if text == "-" else text.split(",")
    return hand_of(tuple(piece_named(name) for name in names))


def _read_turn(text: str, seats: tuple[Seat, ...]) -> int:
    players_in = [str(player) for player, seat in enumerate(seats, 1) if not seat.is_out]
    if text not in (players_in or ["-"]):
        raise ValueError(f"it cannot be the turn of {text}")
    return 0 if text == "-" else int(text)


def _read_scoring(text: str) -> Scoring:
    for scoring in Scoring:
        if scoring.name.lower() == text:
            return scoring
    raise ValueError(f"not a scoring: {text}")


def _open_corners(state: State) -> Squares:
    if not state.turn:
        return 0
    free, corners = room(state, state.turn)
    return free & corners


def _seat_line(state: State, player: int) -> str:
    seat = state.seats[player - 1]
    names = " ".join(piece.name for piece in pieces_in(seat.hand)) or "none"
    pointer = ">" if player == state.turn else " "
    stand = f"{scores(state)[player - 1]:>4} points{', passed' if seat.passed else ''}"
    return f"{pointer} {player}: {stand}, left: {names}"
