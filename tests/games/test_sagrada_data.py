"""The cards as data: the document's own examples load, a new card needs no code, a mistake is reported with its place."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
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
    cards = {
        (card.id, card.name)
        for table in (LIBRARY.tools, LIBRARY.objectives)
        for card in table.values()
    }
    assert {(int(number), name) for number, name, _ in listed} == cards
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


GUIDE = Path(__file__).parents[2] / "chain" / "guides" / "game.md"
(GLASS_SAW,) = re.findall(r"```json\n(.*?)```", GUIDE.read_text("utf-8"), re.S)


def test_slip_in_a_new_tool_is_reported(folder: Path) -> None:
    slip = GLASS_SAW.replace("die_picked", "die_pickd", 1)
    (folder / "tools" / "glass_saw.json").write_text(slip)
    with pytest.raises(DataError) as error:
        load(folder)
    assert f"`{error.value}`" in GUIDE.read_text("utf-8")


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
