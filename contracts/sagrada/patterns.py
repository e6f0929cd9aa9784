"""The three patterns that public objectives count, and the sum that private ones are.

A pattern counts how often it occurs among the twenty cells of a window; constraints do not matter
to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from contracts.sagrada.conditions import FEATURE
from contracts.sagrada.dice import FEATURES, Color
from contracts.sagrada.schema import Part, Spot, among, part, read_part
from contracts.sagrada.window import COLUMN_CELLS, DIAGONAL, ROW_CELLS, Dice

Pattern = Callable[[Dice], int]

PLACES: Final = MappingProxyType({"rows": ROW_CELLS, "columns": COLUMN_CELLS})


def diagonals(object: str) -> Pattern:
    """How many dice have one of the same value across a corner; each die counts once."""
    of = FEATURES[object].of

    def count(dice: Dice) -> int:
        values = [None if die is None else of(die) for die in dice]
        return sum(
            value is not None and any(values[near] == value for near in across)
            for value, across in zip(values, DIAGONAL, strict=True)
        )

    return count


def difference(place: str, object: str) -> Pattern:
    """How many lines are full and hold no value twice."""
    lines, of = PLACES[place], FEATURES[object].of

    def count(dice: Dice) -> int:
        found = 0
        for line in lines:
            values = {of(die) for cell in line if (die := dice[cell]) is not None}
            found += len(values) == len(line)
        return found

    return count


def full_sets(object: str, values: tuple[str, ...]) -> Pattern:
    """How many times the window holds all of these values, each die used once."""
    of = FEATURES[object].of

    def count(dice: Dice) -> int:
        present = [of(die) for die in dice if die is not None]
        return min(present.count(value) for value in values)

    return count


def sum_of_shades(color: Color) -> Pattern:
    return lambda dice: sum(die.shade for die in dice if die is not None and die.color is color)


def _values(spot: Spot) -> tuple[str, ...]:
    """The marks of the values, which must be of the kind that `object` names, each once."""
    feature = FEATURES[spot.beside("object").one_of(FEATURES)]
    marks = tuple(
        feature.marks[feature.names.index(item.one_of(feature.names))] for item in spot.items()
    )
    if not marks:
        raise spot.error("a set needs at least one value")
    if len(set(marks)) < len(marks):
        raise spot.error("a value stands twice in the set")
    return marks


PATTERNS: Final[Mapping[str, Part[Pattern]]] = MappingProxyType(
    {
        "diagonals": part(diagonals, object=FEATURE),
        "difference": part(difference, place=among(PLACES), object=FEATURE),
        "set": part(full_sets, object=FEATURE, values=_values),
    }
)


def read_pattern(spot: Spot) -> Pattern:
    return read_part(spot, "type", PATTERNS)
