"""What a designer reads after a mistake in a card: the file, the card, the key, and what would be right."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contracts.sagrada import library as library_module
from contracts.sagrada.library import load
from contracts.sagrada.schema import DataError, parse

DATA = Path(library_module.__file__).parent / "data"


def shipped(file: str) -> Any:
    return json.loads((DATA / file).read_text("utf-8"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the data that a test may change."""
    return Path(shutil.copytree(DATA, tmp_path / "data"))


LENS = "tools/lens_cutter.json"
MISTAKES = [
    (
        LENS,
        '"die_picked"',
        '"die_pickd"',
        "Lens Cutter, activator.conditions[0].condition: "
        '"die_pickd" is unknown, perhaps die_picked is meant',
    ),
    (
        LENS,
        '"value": true',
        '"value": "true"',
        'Lens Cutter, activator.conditions[0].value: "true" is neither true nor false',
    ),
    (
        LENS,
        '"id": 5',
        '"id": 0',
        "Lens Cutter, id: 0 is not a whole number from 1 to 255",
    ),
    (
        LENS,
        '"id": 5',
        '"id": true',
        "Lens Cutter, id: true is not a whole number from 1 to 255",
    ),
    (
        LENS,
        '"id": 5',
        '"id": 6',
        "Lens Cutter, id: 6 is the id of Flux Brush already",
    ),
    (
        LENS,
        '"id": 5',
        '"id": 23',
        "Lens Cutter, id: 23 is the id of Shades of Red already",
    ),
    (
        LENS,
        '"active": true,',
        "",
        'Lens Cutter: the key "active" is missing',
    ),
    (
        LENS,
        '"active"',
        '"active": true, "aktive"',
        "Lens Cutter: "
        'the key "aktive" is none of name, description, id, active, activator, commands',
    ),
    (
        LENS,
        '"id": 5',
        '"id": 5, "id": 6',
        "id: this key stands twice in one object",
    ),
    (
        LENS,
        '"id": 5,',
        '"id": 5',
        "line 5: Expecting ',' delimiter",
    ),
    (
        LENS,
        '"reg_exp": "select',
        '"reg_exp": "Select',
        "Lens Cutter, commands[0].reg_exp: a command starts with a word in small letters",
    ),
    (
        LENS,
        "select \\\\d+",
        "select .*",
        'Lens Cutter, commands[0].reg_exp: ".*" does not stand for a number',
    ),
    (
        LENS,
        "select \\\\d+",
        "select [5-1]",
        'Lens Cutter, commands[0].reg_exp: "[5-1]" is not a regular expression',
    ),
    (
        LENS,
        "select \\\\d+",
        "select",
        "Lens Cutter, commands[0].conditions[0].index: the command has no arguments",
    ),
    (
        LENS,
        '"index": 0',
        '"index": 1',
        "Lens Cutter, commands[0].conditions[0].index: 1 is not a whole number from 0 to 0",
    ),
    (
        LENS,
        '"round_track_size"',
        '"pool_size"',
        "Lens Cutter, commands[0].conditions[1].bound: "
        '"pool_size" is none of dice_pool_size, round_track_size, tool_deck_size, '
        "minimum_shade, maximum_shade",
    ),
    (
        LENS,
        '"smaller_than"',
        '"less_than"',
        "Lens Cutter, commands[0].conditions[1].type_of_comparison: "
        '"less_than" is none of greater_than, smaller_than, equal_to',
    ),
    (
        LENS,
        '"Lens Cutter"',
        '"Lens \\ud800"',
        'name: "Lens \\ud800" is not a text',
    ),
    (
        "tools/eglomise_brush.json",
        '"row_index": 2',
        '"row_index": 1',
        "Eglomise Brush, commands[0].conditions[2].row_index: 1 is none of 0, 2",
    ),
    (
        "tools/eglomise_brush.json",
        '"column_index": 3',
        '"column_index": 2',
        "Eglomise Brush, commands[0].conditions[2].column_index: 2 is none of 1, 3",
    ),
    (
        LENS,
        '"condition": null',
        '"condition": {}',
        'Lens Cutter, commands[0].instructions[1].condition: the key "condition" is missing',
    ),
    (
        LENS,
        '"condition": null',
        '"condition": 7',
        "Lens Cutter, commands[0].instructions[1].condition: this must be an object with keys",
    ),
    (
        LENS,
        '"swap_from_round_track"',
        '"place_die"',
        "Lens Cutter, commands[0].instructions[0].instruction: "
        "place_die uses 2 arguments, the command has 1",
    ),
    (
        LENS,
        '"instructions": []',
        '"instructions": {}',
        "Lens Cutter, activator.instructions: this must be a list",
    ),
    (
        LENS,
        '"Lens Cutter"',
        '""',
        'name: "" is not a text',
    ),
    (
        "tools/eglomise_brush.json",
        '{"condition": "valid_coordinates"},',
        "",
        "Eglomise Brush, commands[0].conditions[0].condition: "
        "free_slot needs the condition valid_coordinates before it",
    ),
    (
        "tools/lathekin.json",
        """{"condition": "valid_coordinates"},
        {"condition": "not_die_already_moved"},""",
        """{"condition": "not_die_already_moved"},
        {"condition": "valid_coordinates"},""",
        "Lathekin, commands[0].conditions[0].condition: "
        "not_die_already_moved needs the condition valid_coordinates before it",
    ),
    (
        "tools/grozing_pliers.json",
        '"increase"}',
        '"no_constraint"}',
        "Grozing Pliers, commands[0].instructions[0].argument: "
        "the command has no argument to take the shade from",
    ),
    (
        "commands.json",
        '"advance_game"',
        '"activate_tool"',
        "[2].instructions[1].instruction: activate_tool is for tool cards only",
    ),
    (
        "activation.json",
        '"tool_not_active"',
        '"tool_inactive"',
        'conditions[0].condition: "tool_inactive" is unknown, perhaps tool_not_active is meant',
    ),
    (
        "objectives/dark_shades.json",
        '"set"',
        '"sets"',
        'Dark Shades, pattern.type: "sets" is none of diagonals, difference, set',
    ),
    (
        "objectives/dark_shades.json",
        "[5, 6]",
        "[5, true]",
        "Dark Shades, pattern.values[1]: true is none of 1, 2, 3, 4, 5, 6",
    ),
    (
        "objectives/dark_shades.json",
        "[5, 6]",
        "[5, 7]",
        "Dark Shades, pattern.values[1]: 7 is none of 1, 2, 3, 4, 5, 6",
    ),
    (
        "objectives/dark_shades.json",
        "[5, 6]",
        '[5, "red"]',
        'Dark Shades, pattern.values[1]: "red" is none of 1, 2, 3, 4, 5, 6',
    ),
    (
        "objectives/dark_shades.json",
        "[5, 6]",
        "[5, 5]",
        "Dark Shades, pattern.values: a value stands twice in the set",
    ),
    (
        "objectives/dark_shades.json",
        "[5, 6]",
        "[]",
        "Dark Shades, pattern.values: a set needs at least one value",
    ),
    (
        "frames.json",
        '"R . B . Y"',
        '"R . B . X"',
        "Aurora Sagradis, [0].rows[0]: a row is 5 marks out of . RGYBP 123456, a space between",
    ),
    (
        "frames.json",
        '"R . B . Y", ',
        "",
        "Aurora Sagradis, [0].rows: a window has 4 rows, this one 3",
    ),
    (
        "frames.json",
        '"Batllo"',
        '"Comitas"',
        "Comitas, [5].name: two frames have this name",
    ),
]


@pytest.mark.parametrize(("file", "right", "wrong", "message"), MISTAKES)
def test_mistake_is_reported(folder: Path, file: str, right: str, wrong: str, message: str) -> None:
    text = (folder / file).read_text("utf-8")
    assert right in text
    (folder / file).write_text(text.replace(right, wrong, 1))
    with pytest.raises(DataError) as error:
        load(folder)
    assert str(error.value) == f"{file}, {message}"


def test_bytes_that_are_not_text_are_reported(folder: Path) -> None:
    (folder / LENS).write_bytes(b"\xff")
    with pytest.raises(DataError, match=f"{LENS}: this is not a text in UTF-8"):
        load(folder)


def test_missing_file_is_reported(folder: Path) -> None:
    (folder / "frames.json").unlink()
    with pytest.raises(DataError, match=r"frames\.json: this file is missing"):
        load(folder)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("9" * 5_000, f"{'9' * 37}... is not a whole number from 0 to 3"),
        ("[" * 100_000, "too many lists or objects in one another"),
        ("1.5", "1.5 is not a whole number from 0 to 3"),
        ("NaN", "NaN is not a whole number from 0 to 3"),
    ],
)
def test_odd_numbers_and_endless_lists_are_reported(text: str, why: str) -> None:
    with pytest.raises(DataError) as error:
        parse(text, "card.json").number(0, 3)
    assert str(error.value) == f"card.json: {why}"


@pytest.mark.parametrize(("kind", "left"), [("tools", 2), ("objectives", 0)])
def test_too_few_cards_are_reported(folder: Path, kind: str, left: int) -> None:
    for path in sorted((folder / kind).iterdir())[left:]:
        path.unlink()
    with pytest.raises(DataError, match=f"{kind}: a game needs 3 of these, here are {left}"):
        load(folder)


def test_too_few_frames_are_reported(folder: Path) -> None:
    (folder / "frames.json").write_text(json.dumps(shipped("frames.json")[:15]))
    with pytest.raises(DataError, match=r"frames\.json: a game needs 16 of these, here are 15"):
        load(folder)


WRONG: tuple[Any, ...] = (None, True, -1, 999, 1.5, "", "nonsense", [], {}, {"a": 1})


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every object and list in a value, with each key or place in it."""
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from places(value[key])


def complaint(folder: Path) -> DataError | None:
    try:
        load(folder)
    except DataError as error:
        return error
    return None


@pytest.mark.parametrize("file", [LENS, "objectives/dark_shades.json"])
def test_any_wrong_value_is_reported_by_name(folder: Path, file: str) -> None:
    document = shipped(file)
    for holder, key in [*places(document)]:
        right = holder[key]
        for holder[key] in WRONG:
            (folder / file).write_text(json.dumps(document))
            error = complaint(folder)
            assert error is None or (error.file == file and error.key)
            assert error is None or error.card == document["name"] or holder is document
        holder[key] = right
