"""The scores of a board, told slowly and obviously: what the rules must come to.

It knows no union-find. From the tiles alone it gathers each city and road by flood fill, and lets one side take all of those
that are closed, or of all of them when the game is over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from chain.types import u8
from contracts.mage_duel.state import Cell, Scores
from contracts.mage_duel.tiles import EMPTY, TILES

Spot = tuple[int, int, int]  # column, row and edge

STEPS: Final = ((0, -1), (1, 0), (0, 1), (-1, 0))  # up, right, down, left
WORTH: Final = {"C": 2, "R": 1}


def slow_scores(cells: Sequence[Cell], ring: Sequence[u8], *, over: bool) -> Scores:
    """The scores of a board, from nothing but its tiles."""
    letters = dict(letters_of(cells))
    totals: Counter[tuple[int, str]] = Counter()
    left = [spot for spot in letters if letters[spot] in WORTH]
    while left:
        group = gather(left[0], cells, letters)
        left = [spot for spot in left if spot not in group]
        kind = letters[group[0]]
        points = points_of(group, cells, kind, ring)
        if over or all(is_closed(spot, letters) for spot in group):
            points = winner_takes_all(points)
        totals.update({(side, kind): points[side] for side in (0, 1)})
    return (
        (totals[0, "C"], totals[0, "R"]),
        (totals[1, "C"], totals[1, "R"]),
    )


def letters_of(cells: Sequence[Cell]) -> Iterator[tuple[Spot, str]]:
    """The letter at every edge of every tile on the board."""
    for cell, (tile, rotation, _) in enumerate(cells):
        if tile != EMPTY:
            for edge in range(4):
                yield (cell // 8, cell % 8, edge), TILES[tile].name[(edge - rotation) % 4]


def beyond(spot: Spot) -> Spot:
    col, row, edge = spot
    right, down = STEPS[edge]
    return col + right, row + down, (edge + 2) % 4


def gather(start: Spot, cells: Sequence[Cell], letters: dict[Spot, str]) -> list[Spot]:
    """All that hangs together with a spot."""
    group, kind = [start], letters[start]
    for spot in group:
        col, row, _ = spot
        name = TILES[cells[col * 8 + row][0]].name
        joined = kind == "C" or (name.count("R") == 2 and name != "CRCR")
        inside = [(col, row, edge) for edge in range(4)] if joined else []
        for other in (beyond(spot), *inside):
            if letters.get(other) == kind and other not in group:
                group.append(other)
    return group


def is_closed(spot: Spot, letters: dict[Spot, str]) -> bool:
    col, row, _ = beyond(spot)
    return beyond(spot) in letters or not (0 <= col < 8 and 0 <= row < 8)


def points_of(group: list[Spot], cells: Sequence[Cell], kind: str, ring: Sequence[u8]) -> list[int]:
    points = [0, 0]
    for col, row, edge in group:
        out_col, out_row, _ = beyond((col, row, edge))
        entry = (23 - col, 15 - row, col, 24 + row)[edge]
        is_rim = not (0 <= out_col < 8 and 0 <= out_row < 8)
        meets_its_like = is_rim and "CRM"[ring[entry]] == kind
        points[cells[col * 8 + row][2]] += WORTH[kind] * (2 if meets_its_like else 1)
    return points


def winner_takes_all(points: list[int]) -> list[int]:
    blue, red = points
    if blue == red:
        return points
    return [blue + red, 0] if blue > red else [0, blue + red]
