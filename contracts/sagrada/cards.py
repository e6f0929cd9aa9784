"""Commands, tool cards and objectives, compiled from their JSON once and then only used.

A command is a regular expression over the whole text, conditions, and instructions. Its text is a
word and numbers, single spaces between them; one less than each number are its arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from chain.types import u8
from contracts.sagrada.conditions import Args, Condition, read_condition
from contracts.sagrada.dice import LETTERS, Chance, Color
from contracts.sagrada.instructions import Instruction, read_instruction
from contracts.sagrada.patterns import Pattern, read_pattern, sum_of_shades
from contracts.sagrada.schema import Spot
from contracts.sagrada.state import State, with_turn
from contracts.sagrada.window import CELLS, COLUMNS, ROWS, Dice, Frame

FIRST_PRIVATE_ID: Final = 23
LARGEST: Final = 255  # the state counts in bytes, so what is above can only be too big
NUMBER: Final = re.compile(r"((\\d|\d|\[\d-\d\])[+?]?)+", re.ASCII)  # what may stand for a number
ON_CELLS: Final = {"condition": "valid_coordinates"}  # from here on numbers are rows and columns
CELL_CHOICES: Final = (tuple(range(ROWS)), tuple(range(COLUMNS)))


@dataclass(frozen=True, slots=True)
class Command:
    word: str
    text: re.Pattern[str]
    undoable: bool
    conditions: tuple[Condition, ...]
    instructions: tuple[Instruction, ...]
    choices: tuple[tuple[int, ...], ...]  # the values that can matter, for each argument

    def arguments(self, text: str) -> Args | None:
        """The numbers of a text that this command understands, counted from 0."""
        if self.text.fullmatch(text) is None:
            return None
        return tuple([_number(word) - 1 for word in text.split(" ")[1:]])

    def refusal(self, state: State, args: Args) -> str | None:
        for condition in self.conditions:
            message = condition(state, args)
            if message is not None:
                return message
        return None

    def run(self, state: State, args: Args, chance: Chance) -> State:
        if state.turn.undo_available is not self.undoable:
            state = with_turn(state, undo_available=self.undoable)
        for instruction in self.instructions:
            state = instruction(state, args, chance)
        return state

    def legal_texts(self, state: State) -> Iterator[str]:
        for args in product(*self.choices):
            if self.refusal(state, args) is None:
                yield " ".join((self.word, *(str(number + 1) for number in args)))


@dataclass(frozen=True, slots=True)
class Tool:
    id: u8
    name: str
    description: str
    active: bool
    activator: Command
    commands: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class Objective:
    id: u8
    name: str
    description: str
    pattern: Pattern
    points_per_pattern: u8

    def points(self, dice: Dice) -> int:
        return self.points_per_pattern * self.pattern(dice)


def private_objectives() -> tuple[Objective, ...]:
    """One for each colour: the sum of the shades on its dice."""
    return tuple(
        Objective(
            FIRST_PRIVATE_ID + color.value,
            f"Shades of {color.name.capitalize()}",
            f"Sum of values on {color.name.lower()} dice.",
            sum_of_shades(color),
            1,
        )
        for color in Color
    )


def read_command(spot: Spot) -> Command:
    spot.expect_keys("reg_exp", "undoable", "conditions", "instructions")
    return _command(
        spot.key("reg_exp"),
        spot.key("undoable").flag(),
        [spot.key("conditions")],
        [spot.key("instructions")],
    )


def read_tool(spot: Spot, activation: Spot) -> Tool:
    """A tool card; `activation` holds what comes first in every activator."""
    spot.expect_keys("name", "description", "id", "active", "activator", "commands")
    number = spot.key("id").number(1, LARGEST)
    facts = replace(spot.facts, card=number, active=spot.key("active").flag())
    spot = replace(spot, facts=facts)
    own = spot.key("activator")
    own.expect_keys("undoable", "conditions", "instructions")
    common = replace(activation, facts=facts)
    common.expect_keys("conditions", "instructions")
    return Tool(
        number,
        spot.key("name").text(),
        spot.key("description").text(),
        facts.active,
        _command(
            replace(own, value=f"tool {number}"),
            own.key("undoable").flag(),
            [common.key("conditions"), own.key("conditions")],
            [common.key("instructions"), own.key("instructions")],
        ),
        tuple(read_command(command) for command in spot.key("commands").items()),
    )


def read_objective(spot: Spot) -> Objective:
    spot.expect_keys("name", "description", "id", "pattern", "points_per_pattern")
    return Objective(
        spot.key("id").number(1, LARGEST),
        spot.key("name").text(),
        spot.key("description").text(),
        read_pattern(spot.key("pattern")),
        spot.key("points_per_pattern").number(1, 100),
    )


def read_frame(spot: Spot) -> Frame:
    spot.expect_keys("name", "difficulty", "rows")
    rows = spot.key("rows")
    marks = "".join(_row(row) for row in rows.items())
    if len(marks) != CELLS:
        raise rows.error(f"a window has {ROWS} rows, this one {len(marks) // COLUMNS}")
    return Frame(spot.key("name").text(), spot.key("difficulty").number(1, LARGEST), marks)


def _row(spot: Spot) -> str:
    if not re.fullmatch(rf"[.{LETTERS}1-6]( [.{LETTERS}1-6]){{{COLUMNS - 1}}}", spot.text()):
        raise spot.error(f"a row is {COLUMNS} marks out of . {LETTERS} 123456, a space between")
    return spot.text().replace(" ", "")


def _command(
    reg_exp: Spot, undoable: bool, conditions: list[Spot], instructions: list[Spot]
) -> Command:
    word, choices = _choices(reg_exp)
    asked = [item for spot in conditions for item in spot.items()]
    done = [item for spot in instructions for item in spot.items()]
    values = [item.value for item in asked]
    checked = values.index(ON_CELLS) if ON_CELLS in values else len(values)
    if on_cells := checked < len(values):
        choices = tuple(
            tuple(number for number in numbers if number in CELL_CHOICES[i % 2])
            for i, numbers in enumerate(choices)
        )
    facts = replace(reg_exp.facts, arguments=len(choices), on_cells=on_cells)
    unchecked = replace(facts, on_cells=False)
    return Command(
        word,
        _expression(reg_exp, reg_exp.text()),
        undoable,
        tuple(
            read_condition(replace(item, facts=facts if i > checked else unchecked))
            for i, item in enumerate(asked)
        ),
        tuple(read_instruction(replace(item, facts=facts)) for item in done),
        choices,
    )


def _choices(spot: Spot) -> tuple[str, tuple[tuple[int, ...], ...]]:
    """The word of a command, and the arguments that each of its number places accepts."""
    word, *places = spot.text().split(" ")
    if not re.fullmatch("[a-z_]+", word):
        raise spot.error("a command starts with a word in small letters")
    choices = []
    for place in places:
        if not NUMBER.fullmatch(place):
            raise spot.error(f'"{place}" does not stand for a number')
        expression = _expression(spot, place)
        choices.append(tuple(n - 1 for n in range(LARGEST + 1) if expression.fullmatch(str(n))))
    return word, tuple(choices)


def _expression(spot: Spot, text: str) -> re.Pattern[str]:
    try:
        return re.compile(text, re.ASCII)
    except re.error as error:
        raise spot.error(f'"{text}" is not a regular expression') from error


def _number(word: str) -> int:
    digits = word if len(word) < 5 else word.lstrip("0")[:4] or "0"
    return min(int(digits), LARGEST + 1)
