"""Dice, the bag they come from, and the chance behind both.

A die is its id and the shade it shows; the colour follows from the id. The bag is a tuple of ninety
shades by die id, 0 for a die that is out: every die has its shade from the start, and drawing does
not roll it again. Chance is asked for one thing only, a choice among numbers, so whoever plays may
be told in advance what is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Final, Protocol

from chain.errors import require
from chain.types import u8
from contracts.sagrada.messages import OUT_OF_BOUNDS

DICE: Final = 90
SHADES: Final = (1, 2, 3, 4, 5, 6)


class Chance(Protocol):
    """What the rules ask of chance; the tags are `bag`, `draw`, `roll` and `cards`."""

    def choice(self, options: Sequence[int], /, *, tag: str) -> int: ...


class Color(Enum):
    RED = 0
    GREEN = 1
    YELLOW = 2
    BLUE = 3
    PURPLE = 4


COLORS: Final = tuple(Color)
LETTERS: Final = "RGYBP"
DIGITS: Final = "0123456"


@dataclass(frozen=True, slots=True)
class Die:
    id: u8
    shade: u8

    @property
    def color(self) -> Color:
        return COLORS[self.id % 5]

    def __str__(self) -> str:
        return f"{LETTERS[self.id % 5]}{self.shade}"


Bag = tuple[u8, ...]


@dataclass(frozen=True, slots=True)
class Feature:
    """What dice and cells are compared by: each value has one mark, and a name in the JSON."""

    name: str
    marks: str
    names: tuple[str | int, ...]
    of: Callable[[Die], str]


COLOR: Final = Feature(
    "color",
    LETTERS,
    tuple(color.name.lower() for color in COLORS),
    lambda die: LETTERS[die.id % 5],
)
SHADE: Final = Feature("shade", DIGITS[1:], SHADES, lambda die: DIGITS[die.shade])
FEATURES: Final = MappingProxyType({feature.name: feature for feature in (COLOR, SHADE)})


def roll(chance: Chance) -> int:
    return chance.choice(SHADES, tag="roll")


def full_bag(chance: Chance) -> Bag:
    return tuple(chance.choice(SHADES, tag="bag") for _ in range(DICE))


def draw_dice(bag: Bag, count: int, chance: Chance) -> tuple[tuple[Die, ...], Bag]:
    """Take `count` dice out of the bag, each one any of those still in it."""
    left = [number for number, shade in enumerate(bag) if shade]
    require(count <= len(left), OUT_OF_BOUNDS)
    shades = list(bag)
    drawn = []
    for _ in range(count):
        number = chance.choice(tuple(left), tag="draw")
        left.remove(number)
        drawn.append(Die(number, shades[number]))
        shades[number] = 0
    return tuple(drawn), tuple(shades)


def insert_die(bag: Bag, die: Die, chance: Chance) -> Bag:
    """Put a die back, rolled anew."""
    require(not bag[die.id], OUT_OF_BOUNDS)
    return (*bag[: die.id], roll(chance), *bag[die.id + 1 :])
