"""The cards as data: the document's own examples load, a new card needs no code, a mistake is told where it stands."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contracts.sagrada import library as library_module
from contracts.sagrada import rules
from contracts.sagrada.cards import read_command, read_objective, read_tool
from contracts.sagrada.conditions import CONDITIONS, read_condition
from contracts.sagrada.instructions import INSTRUCTIONS, read_instruction
from contracts.sagrada.library import LIBRARY, load
from contracts.sagrada.patterns import PATTERNS, read_pattern
from contracts.sagrada.playouts import Seeded, opening
from contracts.sagrada.schema import DataError, Facts, Spot, parse
from contracts.sagrada.state import BoardTool, State, current_player

DATA = Path(library_module.__file__).parent / "data"
DOCUMENT = (Path(__file__).parent / "sagrada_document.md").read_text("utf-8")
PICK, COLUMN_COLOR_VARIETY, LENS_CUTTER = re.findall(r"```json\n(.*?)```", DOCUMENT, re.I | re.S)
ALL_FACTS = Facts(arguments=4, on_cells=True, card=1, active=True, deck_size=12)


def shipped(file: str) -> Any:
    return json.loads((DATA / file).read_text("utf-8"))


def section(title: str) -> str:
    return re.split(r"^### ", DOCUMENT.split(f"### {title}\n")[1], flags=re.M)[0]


def examples(title: str) -> list[str]:
    """The JSON objects between backquotes in the last column of a table of the document."""
    rows = re.findall(r"^\|.*\|([^|]*)\|$", section(title), re.M)
    return [text for row in rows for text in re.findall(r"`(\{.*?\})`(?:;|\s|$)", row)]


def test_document_pick_loads_unchanged() -> None:
    assert shipped("commands.json")[0] == json.loads(PICK)
    assert read_command(parse(PICK, "pick.json")).word == "pick"


def test_document_objective_loads_unchanged() -> None:
    assert shipped("objectives/column_color_variety.json") == json.loads(COLUMN_COLOR_VARIETY)
    assert read_objective(parse(COLUMN_COLOR_VARIETY, "card.json")).points_per_pattern == 5


def test_document_tool_loads_unchanged() -> None:
    assert shipped("tools/lens_cutter.json") == json.loads(LENS_CUTTER)
    tool = read_tool(
        parse(LENS_CUTTER, "card.json"), Spot(shipped("activation.json"), "activation.json")
    )
    assert (tool.id, tool.active, tool.commands[0].word) == (5, True, "select")


@pytest.mark.parametrize(
    ("title", "read", "kinds"),
    [
        ("Conditions", read_condition, CONDITIONS),
        ("Instructions", read_instruction, INSTRUCTIONS),
        ("Patterns", read_pattern, PATTERNS),
    ],
)
def test_document_tables_load(
    title: str, read: Callable[[Spot], Any], kinds: dict[str, Any]
) -> None:
    found = [replace(parse(text, title), facts=ALL_FACTS) for text in examples(title)]
    assert all(callable(read(spot)) for spot in found)
    assert {str(next(iter(spot.value.values()))) for spot in found} == set(kinds)


def test_card_ids_are_the_documents() -> None:
    listed = re.findall(r"^\| (\d+) +\| (.*?) +\| (\w+)", section("Card IDs"), re.M)
    cards = {**LIBRARY.tools, **LIBRARY.objectives}
    assert {(int(number), name) for number, name, _ in listed} == {
        (c.id, c.name) for c in cards.values()
    }
    assert [kind for *_, kind in listed] == ["Tool"] * 12 + ["Public"] * 10 + ["Private"] * 5


def test_there_are_24_frames() -> None:
    difficulties = [frame.difficulty for frame in LIBRARY.frames]
    assert [difficulties.count(n) for n in (3, 4, 5, 6)] == [4, 4, 12, 4]


def test_kinds_of_tools_are_the_rules() -> None:
    tools = LIBRARY.tools.values()
    assert [tool.id for tool in tools if not tool.active] == [6, 7, 8, 11, 12]
    assert [tool.id for tool in tools if not tool.activator.undoable] == [6, 7, 8, 11]
    assert all(command.undoable for tool in tools for command in tool.commands)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the data that a test may change."""
    return Path(shutil.copytree(DATA, tmp_path / "data"))


README = Path(__file__).parents[2] / "README.md"
(GLASS_SAW,) = re.findall(r"```json\n(.*?)```", README.read_text("utf-8"), re.S)


def test_slip_in_a_new_tool_is_told(folder: Path) -> None:
    slip = GLASS_SAW.replace("die_picked", "die_pickd", 1)
    (folder / "tools" / "glass_saw.json").write_text(slip)
    with pytest.raises(DataError) as error:
        load(folder)
    assert f"`{error.value}`" in README.read_text("utf-8")


def test_new_tool_needs_no_code(folder: Path) -> None:
    (folder / "tools" / "glass_saw.json").write_text(GLASS_SAW)
    library = load(folder)
    state = replace(opening(1), tools=(BoardTool(28),))
    for text in ("pick 1", "tool 28", "saw 3"):
        state = play(state, text, library)
    assert state.turn.picked and state.turn.picked.shade == 3


def test_new_command_lists_its_legal_texts(folder: Path) -> None:
    (folder / "tools" / "glass_saw.json").write_text(GLASS_SAW)
    library = load(folder)
    state = replace(opening(1), tools=(BoardTool(28),))
    state = play(play(state, "pick 1", library), "tool 28", library)
    assert rules.legal_moves(state, library) == ("saw 1", "saw 2", "saw 3")


def test_new_objective_needs_no_code(folder: Path) -> None:
    card = shipped("objectives/color_diagonals.json")
    card |= {
        "id": 29,
        "name": "Shade Diagonals",
        "pattern": {"type": "diagonals", "object": "shade"},
    }
    (folder / "objectives" / "shade_diagonals.json").write_text(json.dumps(card))
    assert load(folder).public == (*range(13, 23), 29)


def play(state: State, text: str, library: library_module.Library) -> State:
    return rules.execute(state, current_player(state).username, text, Seeded(1), library)


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
def test_mistake_is_told(folder: Path, file: str, right: str, wrong: str, message: str) -> None:
    text = (folder / file).read_text("utf-8")
    assert right in text
    (folder / file).write_text(text.replace(right, wrong, 1))
    with pytest.raises(DataError) as error:
        load(folder)
    assert str(error.value) == f"{file}, {message}"


def test_bytes_that_are_no_text_are_told(folder: Path) -> None:
    (folder / LENS).write_bytes(b"\xff")
    with pytest.raises(DataError, match=f"{LENS}: this is not a text in UTF-8"):
        load(folder)


def test_missing_file_is_told(folder: Path) -> None:
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
def test_odd_numbers_and_endless_lists_are_told(text: str, why: str) -> None:
    with pytest.raises(DataError) as error:
        parse(text, "card.json").number(0, 3)
    assert str(error.value) == f"card.json: {why}"


@pytest.mark.parametrize(("kind", "left"), [("tools", 2), ("objectives", 0)])
def test_too_few_cards_are_told(folder: Path, kind: str, left: int) -> None:
    for path in sorted((folder / kind).iterdir())[left:]:
        path.unlink()
    with pytest.raises(DataError, match=f"{kind}: a game needs 3 of these, here are {left}"):
        load(folder)


def test_too_few_frames_are_told(folder: Path) -> None:
    (folder / "frames.json").write_text(json.dumps(shipped("frames.json")[:15]))
    with pytest.raises(DataError, match=r"frames\.json: a game needs 16 of these, here are 15"):
        load(folder)


WRONG = (None, True, -1, 999, 1.5, "", "nonsense", [], {}, {"a": 1})


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
def test_any_wrong_value_is_told_by_name(folder: Path, file: str) -> None:
    document = shipped(file)
    for holder, key in [*places(document)]:
        right = holder[key]
        for holder[key] in WRONG:
            (folder / file).write_text(json.dumps(document))
            error = complaint(folder)
            assert error is None or (error.file == file and error.key)
            assert error is None or error.card == document["name"] or holder is document
        holder[key] = right


PLAY_A_NEW_CARD = """
from chain import Chain
from contracts.sagrada.playouts import ChainGame

game = ChainGame(Chain(), tools=(28, 1, 2), players=2)
print(*game.ask("legal_commands"), sep=", ")
game.say("pick 1", "tool 28")
print(*game.ask("legal_commands"), sep=", ")
game.say("saw 3", "undo", "saw 2")
print(game.state.turn.picked, game.state.tools[0], "Glass Saw" in game.ask("data"))
"""


def test_new_card_is_played_on_a_chain(tmp_path: Path) -> None:
    """A copy of the games with one JSON file more, and not a line of code."""
    games = shutil.copytree(DATA.parents[1], tmp_path / "contracts")
    (Path(games) / "sagrada" / "data" / "tools" / "glass_saw.json").write_text(GLASS_SAW)
    path = os.pathsep.join([str(tmp_path), str(DATA.parents[2])])
    run = subprocess.run(
        [sys.executable, "-c", PLAY_A_NEW_CARD],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True,
    )  # fmt: skip
    assert run.stdout.splitlines() == [
        "pick 1, pick 2, pick 3, pick 4, pick 5, pass, tool 2",
        "saw 1, saw 2, saw 3",
        "R2 BoardTool(id=28, favor_points=1) True",
    ]
