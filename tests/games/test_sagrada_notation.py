"""A game as a line of text, as a picture, as JSON, and as the bytes that change one state into another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chain.errors import Revert
from contracts.sagrada import rules
from contracts.sagrada.encoding import decode, encode, encode_for
from contracts.sagrada.messages import UNKNOWN_PLAYER
from contracts.sagrada.patch import apply, diff
from contracts.sagrada.schema import DataError

BAG = "0" * 30 + "123456" * 10
MIDDLE_OF_ROUND_2 = (
    f"2 2.0.0.0.0.0.0.0.0.0 R6a.G5b {BAG} Y3a.B4a P1c R1d.R2e pt 12/12 13.14.15 12:1.5:0.6:3"
    " 1@1:1.0.0.1 ada%20l:4:24:Lux%20Mundi:6:..1..1G3B2B546G.B5G.:R1d..................."
    " bruno:0:-:Batllo:5:..6...5B4.3GYP214R53:...................P6f"
)
STATE = rules.from_text(MIDDLE_OF_ROUND_2)
PICTURE = """\
Round 2, ada l's first turn (order: bruno ada l ada l bruno)
Round track: R6 G5
Pool: 1:Y3 2:B4
Picked: P1
Objectives: Color Diagonals, Color Variety, Column Color Variety
Tools: 12 Tap Wheel (1, in use), 5 Lens Cutter (0), 6 Flux Brush (3)

ada l, 4 favor points, Shades of Green
    1  2  3  4  5
  1 R1 .  1  .  .
  2 1  g  3  b  2
  3 b  5  4  6  g
  4 .  b  5  g  .

bruno, 0 favor points, no private objective
    1  2  3  4  5
  1 .  .  6  .  .
  2 .  5  b  4  .
  3 3  g  y  p  2
  4 1  4  r  5  P6"""


def changed(change: Callable[[Any], object]) -> Any:
    document = encode(STATE)
    change(document)
    return document


def test_line_names_every_part() -> None:
    assert rules.to_text(STATE) == MIDDLE_OF_ROUND_2
    assert [str(die) for die in STATE.turn.moved] == ["R1", "R2"]
    assert (STATE.players[0].username, STATE.players[1].objective) == ("ada l", None)


def test_picture_shows_the_table() -> None:
    assert rules.draw(STATE) == PICTURE


def test_picture_of_ended_game() -> None:
    ended = rules.from_text(MIDDLE_OF_ROUND_2.replace("2 ", "11 ", 1))
    assert rules.draw(ended).startswith("All 10 rounds have been played\n")


def test_json_has_the_exact_keys() -> None:
    document = encode(STATE)
    player = document["turn_manager"]["players"][0]
    assert document["picked_die"] == {"id": 14, "color": "purple", "shade": 1}
    assert document["active_tool_ID"] == document["passive_tool_ID"] == 12
    assert list(player) == ["username", "favor_points", "window_frame", "private objective"]
    assert player["window_frame"]["coordinates"][6] == {
        "die": None,
        "color_constraint": "green",
        "shade_constraint": None,
    }


def test_view_is_for_players_only() -> None:
    with pytest.raises(Revert, match=UNKNOWN_PLAYER):
        encode_for(STATE, "carol")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("dice_pool"), 'state: the key "dice_pool" is missing'),
        (
            lambda d: d["picked_die"].update(color="red"),
            "state, picked_die.color: the die with id 14 has another color",
        ),
        (
            lambda d: d["picked_die"].update(shade=7),
            "state, picked_die.shade: 7 is none of 1, 2, 3, 4, 5, 6",
        ),
        (
            lambda d: d["dice_bag"]["dice"].append(d["dice_bag"]["dice"][0]),
            "state, dice_bag.dice[60]: this die is in the bag twice",
        ),
        (
            lambda d: d["round_track"]["number_of_dice_on_slot"].pop(),
            "state, round_track.number_of_dice_on_slot: the round track has 10 slots",
        ),
        (
            lambda d: d["turn_manager"].update(round_ending=True),
            "state, turn_manager.round_ending: this does not agree with turn_index",
        ),
        (
            lambda d: d["turn_manager"]["player_turns"].append("carol"),
            'state, turn_manager.player_turns[4]: "carol" is none of ada l, bruno',
        ),
        (
            lambda d: d["turn_manager"]["players"][0]["window_frame"]["coordinates"].pop(),
            "state, turn_manager.players[0].window_frame.coordinates: a window has 20 cells",
        ),
        (
            lambda d: d["turn_manager"]["players"][0]["window_frame"]["coordinates"][6].update(
                shade_constraint=2
            ),
            "state, turn_manager.players[0].window_frame.coordinates[6]:"
            " a cell has one constraint at most",
        ),
    ],
)
def test_impossible_json_is_reported(change: Callable[[Any], object], message: str) -> None:
    with pytest.raises(DataError) as error:
        decode(changed(change))
    assert str(error.value) == message


def test_unknown_card_is_reported() -> None:
    with pytest.raises(DataError, match=r"state, tools\[0\].id: 13 is unknown"):
        decode(changed(lambda d: d["tools"][0].update(id=13)))


@pytest.mark.parametrize(
    ("before", "after", "patch"),
    [
        ("2 2.0", "2 2.0", ""),
        (" P1c ", " P2c ", "0006 01 01 02"),
        (" P1c ", " - ", "0005 02 02 0000"),
        ("Y3a.B4a", "Y3a", "0102 02 00"),
        ("Y3a.B4a", "B4a", "0100 02 00"),
        ("Y3a.B4a", "Y3a.R1c.B4a", "0102 00 02 0a01"),
        ("12:1.", "12:3.", "0600 01 01 03"),
        ("bruno:0:", "bruno:9:", "0800 01 01 09"),
        (" pt ", " tu ", "0000 03 03 000101"),
        ("2 2.0", "3 2.4", "0200 03 03 030204"),
        ("R6a.G5b ", "R6a.G5b.Y1f ", "0304 00 02 1b01"),
    ],
)
def test_patch_holds_the_change(before: str, after: str, patch: str) -> None:
    other = rules.from_text(MIDDLE_OF_ROUND_2.replace(before, after))
    assert diff(STATE, other) == bytes.fromhex(patch)
    assert apply(STATE, bytes.fromhex(patch)) == other
