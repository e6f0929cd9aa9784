"""Commands and tool cards on small tables, each written as one line of text."""

from __future__ import annotations

import pytest

from contracts.sagrada import messages, rules
from contracts.sagrada.encoding import encode
from contracts.sagrada.state import current_player
from contracts.sagrada.tables import NO_TURN_LEFT, after, pool, refusals, table, window


def test_pick_takes_die_from_pool() -> None:
    state = after(table(), "pick 2")
    assert str(state.turn.picked) == "G2"
    assert pool(state) == "R1 Y3 B4 P5"


def test_place_puts_picked_die() -> None:
    state = after(table(), "pick 2", "place 4 5")
    assert window(state) == ". . . . . / . . . . . / . . . . . / . . . . G2"
    assert (state.turn.picked, state.turn.die_placed) == (None, True)


def test_pass_clears_the_turn() -> None:
    state = after(table(flags="pu", tools="5:1.2:0.3:0"), "pass")
    assert state.turn == table().turn
    assert current_player(state).username == "bruno"


def test_round_end_fills_track_and_pool() -> None:
    last = table(round="2", counts="1.0.0.0.0.0.0.0.0.0", track="R6c", order=NO_TURN_LEFT)
    state = after(last, "pass", told=[70, 71, 72, 73, 74])
    assert [str(die) for die in state.track.dice] == ["R6", "R1", "G2", "Y3", "B4", "P5"]
    assert (state.track.round, state.track.counts, state.order.first) == (3, (1, 5, *[0] * 8), 1)
    assert pool(state) == "R1 G1 Y1 B1 P1"


def test_nothing_is_drawn_after_round_ten() -> None:
    state = after(table(round="10", order=NO_TURN_LEFT), "pass")
    assert (state.track.round, state.pool, state.bag) == (11, (), table().bag)
    assert rules.legal_moves(state) == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("pick 6", messages.TOO_BIG),
        ("pick 0", messages.TOO_SMALL),
        ("pick 1\n", messages.NOT_AVAILABLE),
        ("pick ١", messages.NOT_AVAILABLE),
        ("pick  1", messages.NOT_AVAILABLE),
        (" pick 1", messages.NOT_AVAILABLE),
        ("pick 10", messages.NOT_AVAILABLE),
        ("Pick 1", messages.NOT_AVAILABLE),
        ("undo", messages.NOT_AVAILABLE),
        ("tool 4", messages.NOT_AVAILABLE),
        ("tool 01", messages.NOT_AVAILABLE),
        ("place 1 1", messages.NOT_PICKED),
        ("tool 1", messages.NOT_PICKED),
    ],
)
def test_opening_refuses(text: str, reason: str) -> None:
    assert refusals(table(), text) == [reason]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("pick 1", messages.DIE_PICKED),
        ("pass", messages.DIE_PICKED),
        ("place 5 1", messages.COORD),
        ("place 0 1", messages.COORD),
        ("place 1 1", messages.OCCUPIED),
        ("place 4 4", messages.PLACING),
        ("place 1 2", messages.COLOR),
        ("place 2 1", messages.COLOR),
        ("place 2 2", messages.SHADE),
    ],
)
def test_picked_die_refuses(text: str, reason: str) -> None:
    state = table(window="R1b.... ..... ..... .....", picked="R6c", marks="......3.............")
    assert refusals(state, text) == [reason]


def test_wrong_player_is_reported() -> None:
    assert refusals(table(), "pass", "bruno") == [messages.NOT_YOUR_TURN]
    assert refusals(table(), "dance", "bruno") == [messages.NOT_AVAILABLE]


def test_finished_game_gives_one_reason() -> None:
    assert refusals(table(round="11"), "pass") == [messages.GAME_FINISHED]


def test_second_die_is_refused() -> None:
    assert refusals(table(flags="p"), "pick 1") == [messages.PLACED]


def test_first_tool_use_costs_one() -> None:
    state = after(table(), "pick 1", "tool 1")
    assert (state.players[0].favor_points, state.tools[0].favor_points) == (3, 1)
    assert (state.turn.active_tool, state.turn.passive_tool) == (1, 1)


def test_later_tool_use_costs_two() -> None:
    state = after(table(tools="1:3.2:0.3:0"), "pick 1", "tool 1")
    assert (state.players[0].favor_points, state.tools[0].favor_points) == (2, 5)


@pytest.mark.parametrize(("points", "favor"), [("0", "0"), ("1", "1"), ("3", "1")])
def test_tool_needs_favor_points(points: str, favor: str) -> None:
    state = table(tools=f"1:{points}.2:0.3:0", favor=favor, picked="R1b")
    assert refusals(state, "tool 1") == [messages.FAVOR]


def test_one_tool_a_turn() -> None:
    assert refusals(table(flags="t"), "tool 2") == [messages.TOOL_USED]
    assert refusals(table(flags="t", in_use="3/3"), "tool 2") == [messages.TOOL_ACTIVE]


@pytest.mark.parametrize("text", ["pick 1", "pass", "tool 2"])
def test_active_tool_blocks(text: str) -> None:
    assert refusals(table(in_use="3/3"), text) == [messages.TOOL_ACTIVE]


def test_grozing_pliers_shift_by_one() -> None:
    held = table(picked="R3b")
    assert str(after(held, "tool 1", "increase").turn.picked) == "R4"
    assert str(after(held, "tool 1", "decrease").turn.picked) == "R2"


def test_grozing_pliers_do_not_wrap() -> None:
    six, one = after(table(picked="R6b"), "tool 1"), after(table(picked="R1b"), "tool 1")
    assert refusals(six, "increase") == [messages.CANNOT_INCREASE]
    assert refusals(one, "decrease") == [messages.CANNOT_DECREASE]


TWO_REDS = "R1b.R2d.. ..... ..... ....."


def test_eglomise_brush_ignores_color() -> None:
    state = after(table(window=TWO_REDS, tools="1:0.2:0.3:0"), "tool 2", "move 1 1 1 2")
    assert window(state).startswith(". R1 R2")
    assert state.turn.active_tool == 0


def test_copper_foil_burnisher_ignores_shade() -> None:
    start = table(window="R1b.G1b.. ..... ..... .....", tools="1:0.2:0.3:0")
    assert window(after(start, "tool 3", "move 1 1 1 2")).startswith(". R1 G1")
    assert refusals(after(start, "tool 2"), "move 1 1 1 2") == [messages.SHADE]


def test_moved_die_is_not_its_own_neighbour() -> None:
    start = after(table(window="R1b.... ..... ..... .....", tools="1:0.2:0.3:0"), "tool 2")
    assert window(after(start, "move 1 1 4 5")).endswith("R1")
    assert refusals(start, "move 1 1 2 2") == [messages.PLACING]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("move 1 2 1 4", messages.EMPTY),
        ("move 1 1 1 3", messages.OCCUPIED),
        ("move 5 1 1 2", messages.COORD),
        ("move 1 1 1 6", messages.COORD),
    ],
)
def test_move_refuses(text: str, reason: str) -> None:
    assert refusals(after(table(window=TWO_REDS), "tool 2"), text) == [reason]


def test_lathekin_moves_exactly_two() -> None:
    start = table(window="R1b.G2b.. ..... ..... .....", tools="4:0.2:0.3:0")
    one = after(start, "tool 4", "move 1 1 2 3")
    assert refusals(one, "pass") == [messages.TOOL_ACTIVE]
    assert refusals(one, "move 2 3 2 2") == [messages.MOVED]
    assert after(one, "move 1 3 3 3").turn.active_tool == 0


LENS = {"tools": "5:0.2:0.3:0", "track": "B1b.G6b", "counts": "2.0.0.0.0.0.0.0.0.0"}


@pytest.mark.parametrize(
    ("text", "track", "picked"),
    [("select 1", ["R3", "G6"], "B1"), ("select 2", ["B1", "R3"], "G6")],
)
def test_lens_cutter_swaps_in_place(text: str, track: list[str], picked: str) -> None:
    state = after(table(picked="R3b", **LENS), "tool 5", text)
    assert [str(die) for die in state.track.dice] == track
    assert (str(state.turn.picked), state.turn.active_tool) == (picked, 0)


@pytest.mark.parametrize("number", ["3", "256", "999999999999", "9" * 5000])
def test_lens_cutter_refuses_big_numbers(number: str) -> None:
    state = after(table(picked="R3b", **LENS), "tool 5")
    assert refusals(state, f"select {number}") == [messages.TOO_BIG]
    assert refusals(state, "select 0") == [messages.TOO_SMALL]


def test_lens_cutter_reads_leading_zeros() -> None:
    state = after(table(picked="R3b", **LENS), "tool 5", "select " + "0" * 5000 + "1")
    assert str(state.turn.picked) == "B1"


FLUX = {"tools": "6:0.7:0.8:0"}


def test_flux_brush_rolls_picked_die() -> None:
    state = after(table(**FLUX), "pick 1", "tool 6", told=[5])
    assert (str(state.turn.picked), state.turn.passive_tool, state.turn.active_tool) == ("R5", 6, 0)
    assert not state.turn.undo_available


def test_flux_brush_die_may_go_back() -> None:
    state = after(table(**FLUX), "pick 1", "tool 6", "pass", told=[5])
    assert pool(state) == "G2 Y3 B4 P5 R5"


def test_flux_brush_die_may_be_exchanged() -> None:
    state = after(table(**FLUX), "pick 1", "tool 6", "pick 4", told=[5])
    assert (str(state.turn.picked), pool(state)) == ("P5", "G2 Y3 B4 R5")
    assert state.turn.passive_tool == 0


def test_returned_die_cannot_be_picked_at_once() -> None:
    state = after(table(**FLUX), "pick 1", "tool 6", told=[5])
    assert refusals(state, "pick 5") == [messages.TOO_BIG]


def test_glazing_hammer_rolls_pool_in_order() -> None:
    state = after(table(order=NO_TURN_LEFT, **FLUX), "tool 7", told=[6, 5, 4, 3, 2])
    assert pool(state) == "R6 G5 Y4 B3 P2"
    assert refusals(table(**FLUX), "tool 7") == [messages.FIRST_TURN]


def test_glazing_hammer_needs_undrafted_turn() -> None:
    placed = table(order=NO_TURN_LEFT, flags="p", **FLUX)
    assert refusals(placed, "tool 7") == [messages.PLACED]
    held = table(order=NO_TURN_LEFT, picked="R1b", **FLUX)
    assert refusals(held, "tool 7") == [messages.DIE_PICKED]


def test_running_pliers_take_next_turn() -> None:
    state = after(table(**FLUX), "tool 8")
    assert (state.order.seats, state.order.index) == ((0, 0, 1, 1), 1)
    assert refusals(state, "tool 7") == [messages.TOOL_USED]
    assert window(after(state, "pick 1", "place 1 1")).startswith("R1")


def test_running_pliers_need_first_turn() -> None:
    assert refusals(table(order=NO_TURN_LEFT, **FLUX), "tool 8") == [messages.SECOND_TURN]


CORK = {"tools": "9:0.10:0.11:0"}


def test_straightedge_ignores_placing_rule() -> None:
    state = after(table(**CORK), "pick 1", "tool 9", "place 2 3")
    assert window(state) == ". . . . . / . . R1 . . / . . . . . / . . . . ."


def test_straightedge_needs_a_die_to_place() -> None:
    assert refusals(table(**CORK), "tool 9") == [messages.NOT_PICKED]
    assert refusals(table(picked="R1b", flags="p", **CORK), "tool 9") == [messages.PLACED]


def test_straightedge_shows_both_reasons() -> None:
    state = after(table(window="R6b.... ..... ..... .....", **CORK), "pick 1", "tool 9")
    assert refusals(state, "place 1 2") == [messages.TOOL_ACTIVE, messages.COLOR]
    assert refusals(state, "place 1 2", "bruno") == [messages.NOT_YOUR_TURN] * 2


@pytest.mark.parametrize(("before", "flipped"), [("1", "6"), ("6", "1"), ("2", "5"), ("4", "3")])
def test_grinding_stone_flips(before: str, flipped: str) -> None:
    state = after(table(picked=f"R{before}b", **CORK), "tool 10")
    assert (str(state.turn.picked), state.turn.active_tool) == (f"R{flipped}", 0)


def test_flux_remover_swaps_with_bag() -> None:
    state = after(table(picked="R3a", bag="0" + "1" * 89, **CORK), "tool 11", told=[6, 88])
    assert (str(state.turn.picked), state.bag) == ("B1", (6, *[1] * 87, 0, 1))
    assert str(after(state, "select 4").turn.picked) == "B4"


def test_flux_remover_may_return_same_die() -> None:
    state = after(table(picked="R3a", bag="0" + "1" * 89, **CORK), "tool 11", told=[6, 0])
    assert str(state.turn.picked) == "R6"


def test_flux_remover_takes_shades_only() -> None:
    state = after(table(picked="R3a", bag="0" + "1" * 89, **CORK), "tool 11", told=[6, 0])
    assert refusals(state, "select 7") == [messages.TOO_BIG]
    assert refusals(state, "select 06") == [messages.NOT_AVAILABLE]


def test_chosen_flux_die_must_be_placed() -> None:
    held = table(picked="R3a", bag="0" + "1" * 89, **CORK)
    state = after(held, "tool 11", "select 4", told=[6, 0])
    assert refusals(state, "pass") == [messages.DIE_PICKED]


TAP = {"tools": "12:0.2:0.3:0", "window": "R1b.R3d.G2b ..... ..... ....."}
RED_ON_TRACK = {"track": "R6c", "counts": "1.0.0.0.0.0.0.0.0.0"}


def test_tap_wheel_needs_color_on_track() -> None:
    nothing, red = after(table(**TAP), "tool 12"), after(table(**TAP, **RED_ON_TRACK), "tool 12")
    assert refusals(nothing, "move 1 1 2 2") == [messages.no_sharing_die("color", "round track")]
    assert refusals(red, "move 1 5 2 4") == [messages.no_sharing_die("color", "round track")]


def test_tap_wheel_moves_one_color() -> None:
    track = {"track": "R6c.G1c", "counts": "2.0.0.0.0.0.0.0.0.0"}
    state = after(table(**TAP, **track), "tool 12", "move 1 1 2 2")
    assert refusals(state, "move 1 5 2 5") == [messages.no_sharing_die("color", "dice-moved pool")]
    assert after(state, "move 1 3 3 3").turn.passive_tool == 0


def test_tap_wheel_may_end_after_one() -> None:
    state = after(table(**TAP, **RED_ON_TRACK), "tool 12", "move 1 1 2 2", "pass")
    assert current_player(state).username == "bruno"


def test_legal_moves_of_the_opening() -> None:
    assert rules.legal_moves(table()) == (
        *(f"pick {number}" for number in range(1, 6)),
        *("pass", "tool 2", "tool 3"),
    )


def test_legal_moves_under_lens_cutter() -> None:
    state = after(table(picked="R3b", **LENS), "tool 5")
    assert rules.legal_moves(state) == ("select 1", "select 2")


def test_refused_command_leaves_state() -> None:
    state = table()
    before = encode(state)
    refusals(state, "pick 9")
    assert encode(state) == before
