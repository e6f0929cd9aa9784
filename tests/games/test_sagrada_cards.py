"""Every command and tool card, line by line: what it asks in which order, what it leaves behind, whether it can be undone.

Where two conditions fail, the first of the card is reported.
"""

from __future__ import annotations

from typing import Final

import pytest

from contracts.sagrada import messages
from contracts.sagrada.dice import LETTERS, Die
from contracts.sagrada.library import LIBRARY
from contracts.sagrada.tables import NO_TURN_LEFT, after, refusals, table, turn
from contracts.sagrada.window import CELLS

Parts = dict[str, str]

PLIERS: Final = {"tools": "1:0.2:0.3:0", "picked": "R2b"}
LENS: Final = {"tools": "5:0.2:0.3:0", "track": "B1b.G6b", "counts": "2.0.0.0.0.0.0.0.0.0"}
FLUX: Final = {"tools": "6:0.7:0.8:0"}
SECOND: Final = {"tools": "6:0.7:0.8:0", "order": NO_TURN_LEFT}
CORK: Final = {"tools": "9:0.10:0.11:0"}
BAG: Final = {"bag": "0" + "1" * 89, "picked": "R2a"}
TWO: Final = "R1b.G2b.. ..... ..... ....."
TWO_REDS: Final = "R1b.R2d.. ..... ..... ....."
TWO_ONES: Final = "R1b.G1b.. ..... ..... ....."
ON_TRACK: Final = {"track": "R6c.G1c", "counts": "2.0.0.0.0.0.0.0.0.0"}
NOT_ON_TRACK: Final = messages.no_sharing_die("color", "round track")
NOT_MOVED: Final = messages.no_sharing_die("color", "dice-moved pool")


def moving(tool: int, window: str = TWO, **parts: str) -> Parts:
    """Ada uses a tool that moves dice; red and green are on the round track."""
    in_use = f"0/{tool}" if tool == 12 else f"{tool}/{tool}"
    return ON_TRACK | {"tools": f"{tool}:1.7:0.8:0", "in_use": in_use, "window": window} | parts


@pytest.mark.parametrize(
    ("parts", "texts", "told", "left"),
    [
        ({}, ["pick 1"], [], "R1 0/0 undo"),
        ({"picked": "R1b"}, ["place 1 1"], [], "- 0/0 undo"),
        (FLUX | {"picked": "R1b", "in_use": "0/6"}, ["place 1 1"], [], "- 0/0 undo"),
        ({}, ["pass"], [], "- 0/0 no undo"),
        (PLIERS, ["tool 1"], [], "R2 1/1 undo"),
        (PLIERS, ["tool 1", "increase"], [], "R3 0/0 undo"),
        ({"in_use": "1/1", "picked": "R5b"}, ["increase"], [], "R6 0/0 undo"),
        (PLIERS | {"favor": "1"}, ["tool 1"], [], "R2 1/1 undo"),
        (PLIERS | {"favor": "2", "tools": "1:1.2:0.3:0"}, ["tool 1"], [], "R2 1/1 undo"),
        (PLIERS, ["tool 1", "decrease"], [], "R1 0/0 undo"),
        ({}, ["tool 2"], [], "- 2/2 undo"),
        ({}, ["tool 3"], [], "- 3/3 undo"),
        ({"tools": "4:0.5:0.6:0"}, ["tool 4"], [], "- 4/4 undo"),
        ({"tools": "12:0.5:0.6:0"}, ["tool 12"], [], "- 0/12 undo"),
        (moving(2), ["move 1 1 2 2"], [], "- 0/0 undo"),
        (moving(3), ["move 1 1 2 2"], [], "- 0/0 undo"),
        (moving(4), ["move 1 1 2 2"], [], "- 4/4 undo"),
        (moving(4), ["move 1 1 2 2", "move 1 3 3 3"], [], "- 0/0 undo"),
        (moving(12, TWO_REDS), ["move 1 1 2 2"], [], "- 0/12 undo"),
        (moving(12, TWO_REDS), ["move 1 1 2 2", "move 1 3 3 3"], [], "- 0/0 undo"),
        (LENS | {"picked": "R2b"}, ["tool 5"], [], "R2 5/5 undo"),
        (LENS | {"picked": "R2b"}, ["tool 5", "select 1"], [], "B1 0/0 undo"),
        (LENS | {"picked": "R2b"}, ["tool 5", "select 2"], [], "G6 0/0 undo"),
        (FLUX | {"picked": "R2b"}, ["tool 6"], [5], "R5 0/6 no undo"),
        (SECOND, ["tool 7"], [6, 6, 6, 6, 6], "- 0/7 no undo"),
        (FLUX, ["tool 8"], [], "- 0/8 no undo"),
        (CORK | {"picked": "R2b"}, ["tool 9"], [], "R2 9/9 undo"),
        (CORK | {"picked": "R2b"}, ["tool 9", "place 2 2"], [], "- 0/0 undo"),
        (CORK | {"picked": "R2b"}, ["tool 10"], [], "R5 0/0 undo"),
        (CORK | BAG, ["tool 11"], [6, 88], "B1 0/11 no undo"),
        (CORK | BAG, ["tool 11", "select 1"], [6, 88], "B1 0/0 undo"),
        (CORK | BAG, ["tool 11", "select 6"], [6, 88], "B6 0/0 undo"),
    ],
)
def test_command_leaves_the_turn(
    parts: Parts, texts: list[str], told: list[int], left: str
) -> None:
    assert turn(after(table(**parts), *texts, told=told)) == left


@pytest.mark.parametrize(
    ("parts", "text", "reason"),
    [
        ({"picked": "R1b", "flags": "p"}, "pick 1", messages.DIE_PICKED),
        ({"flags": "p", "in_use": "3/3"}, "pick 1", messages.PLACED),
        ({"in_use": "3/3"}, "pick 0", messages.TOOL_ACTIVE),
        ({}, "pick 0", messages.TOO_SMALL),
        ({}, "pick 6", messages.TOO_BIG),
        ({"flags": "p"}, "place 9 9", messages.NOT_PICKED),
        ({"picked": "R1b", "flags": "p", "in_use": "3/3"}, "place 1 1", messages.PLACED),
        ({"picked": "R1b", "in_use": "3/3"}, "place 9 9", messages.TOOL_ACTIVE),
        ({"picked": "R1b", "window": TWO_REDS}, "place 1 1", messages.OCCUPIED),
        ({"picked": "R1b", "window": TWO_REDS}, "place 4 4", messages.PLACING),
        ({"picked": "R2b", "window": TWO_REDS}, "place 1 2", messages.COLOR),
        ({"picked": "G1b", "window": TWO_REDS}, "place 1 2", messages.SHADE),
        ({"picked": "G2b", "window": TWO_REDS}, "place 1 4", messages.SHADE),
        ({"picked": "R1b", "in_use": "3/3"}, "pass", messages.DIE_PICKED),
        ({"in_use": "3/3"}, "pass", messages.TOOL_ACTIVE),
        ({"in_use": "3/3", "flags": "t"}, "tool 2", messages.TOOL_ACTIVE),
        ({"flags": "t", "favor": "0"}, "tool 2", messages.TOOL_USED),
        ({"favor": "0"}, "tool 1", messages.FAVOR),
        ({}, "tool 1", messages.NOT_PICKED),
        ({"picked": "R1b"}, "place 1 0", messages.COORD),
        ({"in_use": "1/1"}, "increase", messages.NOT_PICKED),
        ({"in_use": "1/1", "picked": "R6b"}, "increase", messages.CANNOT_INCREASE),
        ({"in_use": "1/1", "picked": "R1b"}, "decrease", messages.CANNOT_DECREASE),
        (LENS, "tool 5", messages.NOT_PICKED),
        (LENS | {"in_use": "5/5", "picked": "R1b"}, "select 0", messages.TOO_SMALL),
        (LENS | {"in_use": "5/5", "picked": "R1b"}, "select 3", messages.TOO_BIG),
        (FLUX, "tool 6", messages.NOT_PICKED),
        (FLUX | {"picked": "R1b"}, "tool 7", messages.FIRST_TURN),
        (SECOND | {"picked": "R1b", "flags": "p"}, "tool 7", messages.DIE_PICKED),
        (SECOND | {"flags": "p"}, "tool 7", messages.PLACED),
        (SECOND | {"picked": "R1b"}, "tool 8", messages.SECOND_TURN),
        (FLUX | {"picked": "R1b"}, "tool 8", messages.DIE_PICKED),
        (CORK | {"flags": "p"}, "tool 9", messages.NOT_PICKED),
        (CORK | {"picked": "R1b", "flags": "p"}, "tool 9", messages.PLACED),
        (CORK, "tool 10", messages.NOT_PICKED),
        (CORK, "tool 11", messages.NOT_PICKED),
        (CORK | {"in_use": "0/11", "picked": "R1b"}, "select 0", messages.TOO_SMALL),
        (CORK | {"in_use": "0/11", "picked": "R1b"}, "select 7", messages.TOO_BIG),
    ],
)
def test_first_broken_condition_is_reported(parts: Parts, text: str, reason: str) -> None:
    assert refusals(table(**parts), text) == [reason]


@pytest.mark.parametrize(
    ("window", "text", "reason"),
    [
        ("R1b.... ..... ..... .....", "place 6 1", messages.COORD),
        ("R1b.... ..... ..... .....", "place 1 1", messages.OCCUPIED),
        ("G1bR1b... ..... ..... .....", "place 1 1", messages.OCCUPIED),
        ("R1b.... ..... ..... .....", "place 1 2", messages.COLOR),
        ("G2b.... ..... ..... .....", "place 1 2", messages.SHADE),
    ],
)
def test_straightedge_asks_of_the_cell(window: str, text: str, reason: str) -> None:
    state = table(window=window, picked="R2b", in_use="9/9", **CORK)
    assert refusals(state, text) == [messages.TOOL_ACTIVE, reason]


@pytest.mark.parametrize("tool", [2, 3, 4, 12])
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("move 5 1 1 1", messages.COORD),
        ("move 1 1 1 6", messages.COORD),
        ("move 1 2 1 1", messages.EMPTY),
        ("move 1 2 2 2", messages.EMPTY),
        ("move 1 1 1 3", messages.OCCUPIED),
        ("move 1 1 4 5", messages.PLACING),
    ],
)
def test_all_moves_ask_the_same_first(tool: int, text: str, reason: str) -> None:
    assert refusals(table(**moving(tool)), text) == [reason]


@pytest.mark.parametrize(
    ("tool", "window", "reasons"),
    [
        (2, TWO_REDS, []),
        (2, TWO_ONES, [messages.SHADE]),
        (3, TWO_REDS, [messages.COLOR]),
        (3, TWO_ONES, []),
        (4, TWO_REDS, [messages.COLOR]),
        (4, TWO_ONES, [messages.SHADE]),
        (12, TWO_REDS, [messages.COLOR]),
        (12, TWO_ONES, [messages.SHADE]),
    ],
)
def test_move_checks_its_own_rules(tool: int, window: str, reasons: list[str]) -> None:
    assert refusals(table(**moving(tool, window)), "move 1 1 1 2") == reasons


@pytest.mark.parametrize("tool", [4, 12])
def test_die_moves_once_a_turn(tool: int) -> None:
    assert refusals(table(**moving(tool, moved="R1b")), "move 1 1 1 3") == [messages.MOVED]


@pytest.mark.parametrize(
    ("moved", "track", "text", "reasons"),
    [
        ("-", "B1b.B2b", "move 1 1 1 3", [messages.OCCUPIED]),
        ("G3d", "B1b.B2b", "move 1 1 2 2", [NOT_ON_TRACK]),
        ("-", "G6c.G1c", "move 1 1 2 2", [NOT_ON_TRACK]),
        ("G3d", "R6c.G1c", "move 1 1 4 5", [NOT_MOVED]),
        ("R3d", "B1c.R1c", "move 1 1 2 2", []),
        ("G3d.R3d", "R6c.G1c", "move 1 1 2 2", []),
    ],
)
def test_tap_wheel_asks_for_colors(moved: str, track: str, text: str, reasons: list[str]) -> None:
    assert refusals(table(**moving(12, moved=moved, track=track)), text) == reasons


def showing(marks: str) -> tuple[Die | None, ...]:
    """A window whose dice are of these colours or these shades, and otherwise of one kind."""
    dice = [
        Die(5 * i, int(mark)) if mark.isdigit() else Die(5 * i + LETTERS.index(mark), 1)
        for i, mark in enumerate(marks)
    ]
    return (*dice, *[None] * (CELLS - len(dice)))


@pytest.mark.parametrize(
    ("number", "values"), [(14, "RGYBP"), (17, "56"), (18, "12"), (19, "34"), (22, "123456")]
)
def test_set_counts_its_rarest_value(number: int, values: str) -> None:
    card = LIBRARY.objectives[number]
    assert card.points(showing(2 * values)) == 2 * card.points_per_pattern
    for rare in values:
        once = (2 * values).replace(rare, "", 1)
        assert card.points(showing(once)) == card.points_per_pattern
        assert card.points(showing(once.replace(rare, ""))) == 0


@pytest.mark.parametrize(
    ("row", "points"),
    [("R1 R2 R3 R4 R5", (0, 5)), ("R1 G1 Y1 B1 P1", (6, 0)), ("R1 G2 Y3 B4 P5", (6, 5))],
)
def test_rows_look_at_one_feature(row: str, points: tuple[int, int]) -> None:
    dice = tuple(
        Die("RGYBP".index(die[0]) + 5 * i, int(die[1])) for i, die in enumerate(row.split())
    )
    window = dice + (None,) * 15
    assert tuple(LIBRARY.objectives[number].points(window) for number in (20, 21)) == points


@pytest.mark.parametrize(
    ("column", "points"),
    [("R1 R2 R3 R4", (0, 5)), ("R1 G1 Y1 B1", (5, 0)), ("R1 G2 Y3 B4", (5, 5))],
)
def test_columns_look_at_one_feature(column: str, points: tuple[int, int]) -> None:
    dice: list[Die | None] = [None] * CELLS
    for i, die in enumerate(column.split()):
        dice[5 * i] = Die("RGYBP".index(die[0]) + 5 * i, int(die[1]))
    assert tuple(LIBRARY.objectives[number].points(tuple(dice)) for number in (15, 16)) == points
