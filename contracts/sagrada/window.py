"""A window: four rows of five cells, each with its constraint and perhaps a die.

Cells are numbered 0 to 19, row by row. A frame is text, one mark a cell: `.` for a free one, a
colour's letter or a shade's digit for a constraint, which stays when a die lies on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from chain.errors import require
from chain.types import u8
from contracts.sagrada.dice import Die
from contracts.sagrada.messages import OUT_OF_BOUNDS

ROWS: Final = 4
COLUMNS: Final = 5
CELLS: Final = ROWS * COLUMNS

Dice = tuple[Die | None, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    name: str
    difficulty: u8
    marks: str


@dataclass(frozen=True, slots=True)
class Window:
    frame: Frame
    dice: Dice = (None,) * CELLS


def cell_at(row: int, column: int) -> int:
    require(0 <= row < ROWS and 0 <= column < COLUMNS, OUT_OF_BOUNDS)
    return row * COLUMNS + column


def with_die(window: Window, cell: int, die: Die | None) -> Window:
    dice = window.dice
    return Window(window.frame, (*dice[:cell], die, *dice[cell + 1 :]))


def _steps(*steps: tuple[int, int]) -> tuple[tuple[int, ...], ...]:
    """For every cell, the cells that these steps lead to inside the window."""
    return tuple(
        tuple(
            (row + down) * COLUMNS + column + right
            for down, right in steps
            if 0 <= row + down < ROWS and 0 <= column + right < COLUMNS
        )
        for row in range(ROWS)
        for column in range(COLUMNS)
    )


ORTHOGONAL: Final = _steps((-1, 0), (0, -1), (0, 1), (1, 0))
DIAGONAL: Final = _steps((-1, -1), (-1, 1), (1, -1), (1, 1))
AROUND: Final = tuple(beside + across for beside, across in zip(ORTHOGONAL, DIAGONAL, strict=True))
BORDER: Final = tuple(len(around) < 8 for around in AROUND)
ROW_CELLS: Final = tuple(tuple(range(start, start + COLUMNS)) for start in range(0, CELLS, COLUMNS))
COLUMN_CELLS: Final = tuple(tuple(range(start, CELLS, COLUMNS)) for start in range(COLUMNS))
