"""Reading JSON with a finger on the spot: what is wrong is told with its file, card and key.

A `Spot` is a value together with the way that led to it. A `Part` is one named thing of a table (a
condition, an instruction, a pattern): the options it takes, each with the kind of value it must
have, and the function that builds it from them. Reading checks and builds in one go, so what has
been read can be used without another look.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Generic, TypeGuard, TypeVar

T = TypeVar("T")
S = TypeVar("S")

DEEPEST: Final = 20  # lists and objects in one another, far more than any document has
MOST_DIGITS: Final = 20


class DataError(ValueError):
    """A data file says something that cannot be."""

    def __init__(self, file: str, card: str, key: str, why: str) -> None:
        place = ", ".join(word for word in (file, card, key) if word)
        super().__init__(f"{place}: {why}")
        self.file = file
        self.card = card
        self.key = key
        self.why = why


@dataclass(frozen=True, slots=True)
class Odd:
    """A number of JSON that no document has a use for, as it is written."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Facts:
    """What a part may have to know about where it stands."""

    arguments: int = 0  # how many numbers the command's text holds
    on_cells: bool = False  # whether it has checked that these are rows and columns
    card: int = 0  # the id of the tool card it belongs to, if any
    active: bool = False  # whether that card is an active one
    deck_size: int = 0  # how many tool cards exist


@dataclass(frozen=True, slots=True)
class Spot:
    value: Any
    file: str
    card: str = ""
    path: str = ""
    facts: Facts = Facts()
    parent: Spot | None = None

    def error(self, why: str) -> DataError:
        return DataError(self.file, self.card, self.path, why)

    def key(self, name: str) -> Spot:
        path = f"{self.path}.{name}" if self.path else name
        return self._inside(self._at(name), path)

    def beside(self, name: str) -> Spot:
        """What stands under another key of the same object."""
        if self.parent is None:
            raise self.error(f'there is no "{name}" beside this')
        return self.parent.key(name)

    def items(self) -> list[Spot]:
        if not isinstance(self.value, list):
            raise self.error("this must be a list")
        return [self._inside(item, f"{self.path}[{i}]") for i, item in enumerate(self.value)]

    def expect_keys(self, *names: str) -> None:
        """Exactly these keys, so that neither a slip of the pen nor a forgotten one goes unseen."""
        for name in names:
            self._at(name)
        for name in self._dict():
            if name not in names:
                raise self.error(f"the key {shown(name)} is {_rather(name, names)}")

    def text(self) -> str:
        if not is_text(self.value):
            raise self.error(f"{shown(self.value)} is not a text")
        return self.value

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.error(f"{shown(self.value)} is neither true nor false")
        return self.value

    def number(self, lowest: int, highest: int) -> int:
        if type(self.value) is not int or not lowest <= self.value <= highest:
            raise self.error(
                f"{shown(self.value)} is not a whole number from {lowest} to {highest}"
            )
        return self.value

    def one_of(self, known: Iterable[S]) -> S:
        options = tuple(known)
        for option in options:
            if type(option) is type(self.value) and option == self.value:
                return option
        raise self.error(f"{shown(self.value)} is {_rather(self.value, options)}")

    def _inside(self, value: Any, path: str) -> Spot:
        return Spot(value, self.file, self.card, path, self.facts, self)

    def _at(self, name: str) -> Any:
        members = self._dict()
        if name not in members:
            raise self.error(f'the key "{name}" is missing')
        return members[name]

    def _dict(self) -> dict[str, Any]:
        if not isinstance(self.value, dict):
            raise self.error("this must be an object with keys")
        return self.value


def shown(value: object) -> str:
    """A value as it stands in the file, cut short if it is long."""
    text = str(value) if isinstance(value, Odd) else json.dumps(value, default=str)
    return text if len(text) <= 40 else f"{text[:37]}..."


def is_text(value: object) -> TypeGuard[str]:
    """Whether this is a text, not empty, without half characters: JSON can say them, UTF-8 cannot."""
    return (
        isinstance(value, str)
        and value != ""
        and not any("\ud800" <= letter <= "\udfff" for letter in value)
    )


def _rather(value: object, known: tuple[object, ...]) -> str:
    """What to write instead: all there is if that is little, else what looks most alike."""
    words = [str(option) for option in known]
    if len(words) <= 6:
        return f"none of {', '.join(words)}"
    alike, meant = max((_letters_shared(str(value), word), word) for word in words)
    return f"unknown, perhaps {meant} is meant" if alike >= 60 else "unknown"


def _letters_shared(one: str, other: str) -> int:
    """How many percent of the letters of two words stand in both, in the same order."""
    row = [0] * (len(other) + 1)
    for letter in one:
        left = row
        row = [0]
        for i, each in enumerate(other):
            row.append(left[i] + 1 if each == letter else max(left[i + 1], row[i]))
    return 200 * row[-1] // max(len(one) + len(other), 1)


def parse(text: str, file: str) -> Spot:
    """A JSON document; a `JSONDecodeError` where it is none."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise DataError(
                file, "", shown(twice).strip('"'), "this key stands twice in one object"
            )
        return made

    def whole(number: str) -> int | Odd:
        return int(number) if len(number) <= MOST_DIGITS else Odd(number)

    if _depth(text) > DEEPEST:
        raise DataError(file, "", "", "too many lists or objects in one another")
    read = json.loads(
        text,
        object_pairs_hook=unique,
        parse_float=Odd,
        parse_constant=Odd,
        parse_int=whole,
    )
    return Spot(read, file)


def _depth(text: str) -> int:
    """How many lists and objects lie in one another at most."""
    deepest = depth = 0
    for mark in re.findall(r"[][{}]", re.sub(r'"(?:[^"\\]|\\.)*"', "", text)):
        depth += 1 if mark in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


Kind = Callable[[Spot], Any]


@dataclass(frozen=True, slots=True)
class Part(Generic[T]):
    """How one named thing is built, and how many numbers or cells of the command's text it uses."""

    build: Callable[..., T]
    options: Mapping[str, Kind]
    arguments: int
    cells: int
    given: tuple[str, ...]  # the facts it is told beside its options


def part(
    build: Callable[..., T],
    *,
    arguments: int = 0,
    cells: int = 0,
    given: tuple[str, ...] = (),
    **options: Kind,
) -> Part[T]:
    return Part(build, options, arguments or 2 * cells, cells, given)


def plain(thing: T, *, arguments: int = 0, cells: int = 0) -> Part[T]:
    """A part without options."""
    return part(lambda: thing, arguments=arguments, cells=cells)


def read_part(spot: Spot, tag: str, table: Mapping[str, Part[T]]) -> T:
    """Build what `spot` names under `tag`, with the options that stand beside it."""
    name = spot.key(tag).one_of(table)
    found = table[name]
    spot.expect_keys(tag, *found.options)
    if spot.facts.arguments < found.arguments:
        raise spot.key(tag).error(
            f"{name} uses {found.arguments} arguments, the command has {spot.facts.arguments}"
        )
    if "card" in found.given and not spot.facts.card:
        raise spot.key(tag).error(f"{name} is for tool cards only")
    if found.cells and not spot.facts.on_cells:
        raise spot.key(tag).error(f"{name} needs the condition valid_coordinates before it")
    options = {option: kind(spot.key(option)) for option, kind in found.options.items()}
    options |= {fact: asdict(spot.facts)[fact] for fact in found.given}
    return found.build(**options)


def flag(spot: Spot) -> bool:
    return spot.flag()


def among(known: Iterable[str]) -> Kind:
    options = tuple(known)
    return lambda spot: spot.one_of(options)


def argument_index(spot: Spot) -> int:
    """The place of an argument that the command really has."""
    if spot.facts.arguments == 0:
        raise spot.error("the command has no arguments")
    return spot.number(0, spot.facts.arguments - 1)


def row_index(spot: Spot) -> int:
    """The place of an argument that `valid_coordinates` holds to be a row."""
    return spot.one_of(range(0, spot.facts.arguments, 2))


def column_index(spot: Spot) -> int:
    return spot.one_of(range(1, spot.facts.arguments, 2))
