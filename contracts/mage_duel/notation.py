"""A board as one line of text, and back.

Its eleven words are: the ring in four sides; the rows from the top; the top tile; the deck in
order; the jokers and the scores of Blue and Red; the last move; the number of moves and the time of
the last one; how the game ended. A tile is a letter, `a` for code 0 to `x` for 23. On the board it
is a capital if Blue laid it, its rotation follows, and an empty cell is a dot: `F2.a0`. A move
begins with its side: `R` is Red's skip, `Bf2@34` Blue's tile in column 3 and row 4, with a `*` if
it was a joker. `-` is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from chain.types import u8
from contracts.mage_duel.board import SIZE, cell_at
from contracts.mage_duel.state import EMPTY_CELL, Cell, Ending, Move, PlayerSide, State
from contracts.mage_duel.tiles import LETTERS

TILE_LETTERS: Final = "abcdefghijklmnopqrstuvwx"
SIDE_LETTERS: Final = "BR"
NONE: Final = "-"
ENDINGS: Final = {ending.name.lower().replace("_", "-"): ending for ending in Ending}

_ROW: Final = r"(?:\.|[A-Xa-x][0-3]){8}"
_PAIR: Final = r"\d+,\d+"
_MOVE: Final = re.compile(r"([BR])(?:([a-x])([0-3])@([0-7])([0-7])(\*?))?")
_ENDING: Final = "|".join(ENDINGS)
_LINE: Final = re.compile(
    rf"[CRM]{{8}}(?:/[CRM]{{8}}){{3}} {_ROW}(?:/{_ROW}){{7}} [a-x-] (?:[a-x]+|-) "
    rf"{_PAIR} {_PAIR} {_PAIR} (?:{_MOVE.pattern}|-) \d+ \d+ (?:-|{_ENDING})"
)


def to_text(state: State) -> str:
    """The whole state in one line."""
    words = (
        "/".join(_groups("".join(LETTERS[edge] for edge in state.ring))),
        "/".join(_row_text(state.cells[row::SIZE]) for row in range(SIZE)),
        _tiles_text(() if state.top_tile is None else (state.top_tile,)),
        _tiles_text(state.deck),
        *("{},{}".format(*pair) for pair in (state.jokers, *state.scores)),
        NONE if state.last_move is None else _move_text(state.last_move),
        str(state.moves_done),
        str(state.updated_at),
        next((word for word, ending in ENDINGS.items() if ending == state.ending), NONE),
    )
    return " ".join(words)


def from_text(text: str) -> State:
    """The state that this line tells."""
    if not _LINE.fullmatch(text):
        raise ValueError(f"{text!r} is not a board of Mage Duel")
    ring, rows, top, deck, jokers, blue, red, last, done, time, ending = text.split(" ")
    return State(
        ring=tuple(LETTERS.index(letter) for letter in ring.replace("/", "")),
        cells=_cells(rows.split("/")),
        deck=_tiles(deck),
        top_tile=next(iter(_tiles(top)), None),
        jokers=_pair(jokers),
        scores=(_pair(blue), _pair(red)),
        last_move=None if last == NONE else _move(last),
        moves_done=int(done),
        updated_at=int(time),
        ending=ENDINGS.get(ending),
    )


def _groups(letters: str) -> list[str]:
    return [letters[start : start + SIZE] for start in range(0, len(letters), SIZE)]


def _row_text(row: Sequence[Cell]) -> str:
    return "".join(_cell_text(content) for content in row)


def _cell_text(content: Cell) -> str:
    if content == EMPTY_CELL:
        return "."
    tile, rotation, side = content
    letter = TILE_LETTERS[tile]
    return f"{letter.upper() if side == PlayerSide.BLUE else letter}{rotation}"


def _cells(rows: Sequence[str]) -> tuple[Cell, ...]:
    cells = [EMPTY_CELL] * (SIZE * SIZE)
    for row, text in enumerate(rows):
        for col, word in enumerate(re.findall(r"\.|..", text)):
            if word != ".":
                side = PlayerSide.BLUE if word[0].isupper() else PlayerSide.RED
                tile = TILE_LETTERS.index(word[0].lower())
                cells[cell_at(col, row)] = (tile, int(word[1]), int(side))
    return tuple(cells)


def _tiles_text(tiles: Sequence[u8]) -> str:
    return "".join(TILE_LETTERS[tile] for tile in tiles) or NONE


def _tiles(text: str) -> tuple[u8, ...]:
    return tuple(TILE_LETTERS.index(letter) for letter in text if letter != NONE)


def _pair(text: str) -> tuple[int, int]:
    first, second = text.split(",")
    return int(first), int(second)


def _move_text(move: Move) -> str:
    side = SIDE_LETTERS[move.side]
    if move.tile is None:
        return side
    joker = "*" if move.is_joker else ""
    return f"{side}{TILE_LETTERS[move.tile]}{move.rotation}@{move.col}{move.row}{joker}"


def _move(text: str) -> Move:
    side_letter, letter, rotation, col, row, joker = _MOVE.findall(text)[0]
    side = PlayerSide(SIDE_LETTERS.index(side_letter))
    if not letter:
        return Move(side)
    return Move(side, TILE_LETTERS.index(letter), int(rotation), int(col), int(row), joker == "*")
