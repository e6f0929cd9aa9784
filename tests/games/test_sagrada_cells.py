"""Placement rules, patterns and turn order, without a game around them."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain.errors import Revert
from contracts.sagrada import messages
from contracts.sagrada.dice import Die
from contracts.sagrada.library import LIBRARY
from contracts.sagrada.patterns import diagonals, difference, full_sets
from contracts.sagrada.placement import color_rule, compose, no_rule, placing_rule, shade_rule
from contracts.sagrada.turns import TurnOrder, next_turn, round_from, take_two_turns
from contracts.sagrada.window import Dice, Frame, Window, cell_at, with_die

PLAIN = Frame("Plain", 4, "." * 20)
MIDDLE = cell_at(1, 2)
R1, R2, G1, G2 = Die(0, 1), Die(5, 2), Die(1, 1), Die(6, 2)

dice = st.builds(Die, st.integers(0, 89), st.integers(1, 6))
windows = st.builds(
    Window,
    st.builds(Frame, st.just("Any"), st.just(3), st.text(".RGYBP123456", min_size=20, max_size=20)),
    st.lists(st.none() | dice, min_size=20, max_size=20).map(tuple),
)
cells = st.integers(0, 19)


def grid(text: str) -> Dice:
    """Dice from rows such as `R1 .. G2`, each with an id of its own."""
    words = text.replace("/", " ").split()
    return tuple(
        None if word == ".." else Die("RGYBP".index(word[0]) + 5 * number, int(word[1]))
        for number, word in enumerate(words)
    )


def test_first_die_goes_to_the_border() -> None:
    refused = [cell for cell in range(20) if placing_rule()(Window(PLAIN), cell, R1)]
    assert refused == [6, 7, 8, 11, 12, 13]


def test_second_die_touches_the_first() -> None:
    window = with_die(Window(PLAIN), 0, R1)
    allowed = [cell for cell in range(20) if placing_rule()(window, cell, G2) is None]
    assert allowed == [1, 5, 6]


@pytest.mark.parametrize(
    ("cell", "fits"), [(2, False), (6, False), (8, False), (12, False), (1, True)]
)
def test_same_color_may_touch_at_corners_only(cell: int, fits: bool) -> None:
    window = with_die(Window(PLAIN), cell, R2)
    assert (color_rule()(window, MIDDLE, R1) is None) is fits


def test_shade_rule_looks_at_shades() -> None:
    window = with_die(Window(PLAIN), cell_at(0, 2), G1)
    assert shade_rule()(window, MIDDLE, R1) == messages.SHADE
    assert shade_rule()(window, MIDDLE, R2) is None


@pytest.mark.parametrize(
    ("mark", "color", "shade"),
    [
        (".", None, None),
        ("R", None, None),
        ("G", messages.COLOR, None),
        ("1", None, None),
        ("2", None, messages.SHADE),
    ],
)
def test_constraint_binds_its_own_rule(mark: str, color: str | None, shade: str | None) -> None:
    window = Window(Frame("One", 3, mark * 20))
    assert color_rule()(window, 0, R1) == color
    assert shade_rule()(window, 0, R1) == shade


@given(windows, cells, dice)
def test_rules_compose_in_any_nesting(window: Window, cell: int, die: Die) -> None:
    holds = all(
        rule()(window, cell, die) is None for rule in (placing_rule, color_rule, shade_rule)
    )
    for outer, middle, inner in permutations((placing_rule, color_rule, shade_rule)):
        assert (outer(middle(inner()))(window, cell, die) is None) == holds


@given(windows, cells, dice)
def test_outermost_broken_rule_is_reported(window: Window, cell: int, die: Die) -> None:
    messages_in_order = [
        rule()(window, cell, die) for rule in (color_rule, placing_rule, shade_rule)
    ]
    first = next((message for message in messages_in_order if message), None)
    assert color_rule(placing_rule(shade_rule()))(window, cell, die) == first


def test_conditions_ask_placing_color_shade() -> None:
    red, beside = Window(Frame("Red", 3, "R" * 20)), with_die(Window(PLAIN), 0, Die(1, 1))
    rule = compose(placing=True, color=True, shade=True)
    assert rule(with_die(red, 0, G1), 19, G2) == messages.PLACING
    assert rule(with_die(red, 0, G1), 1, G1) == messages.COLOR
    assert rule(beside, 1, R1) == messages.SHADE


@given(windows, cells, dice)
def test_rule_left_out_is_ignored(window: Window, cell: int, die: Die) -> None:
    assert compose(placing=False, color=False, shade=False) is no_rule
    only = compose(placing=False, color=True, shade=False)
    assert only(window, cell, die) == color_rule()(window, cell, die)


@pytest.mark.parametrize(("row", "column"), [(-1, 0), (4, 0), (0, -1), (0, 5)])
def test_cell_outside_is_refused(row: int, column: int) -> None:
    with pytest.raises(Revert, match=messages.OUT_OF_BOUNDS):
        cell_at(row, column)


ALMOST_FULL = grid(
    """R1 G2 Y3 B4 P5 /
       G3 Y4 B5 P6 R1 /
       B5 P6 R1 G2 Y3 /
       P2 R3 G4 Y5 .."""
)


@pytest.mark.parametrize(
    ("number", "points"),
    [
        (13, 16),  # all but the first, the last of row 2 and the first of row 3
        (14, 12),  # three blue dice
        (15, 20),
        (16, 20),
        (17, 4),  # two sixes
        (18, 6),
        (19, 6),
        (20, 18),
        (21, 15),
        (22, 10),
        (23, 6),
        (24, 11),
        (25, 15),
        (26, 14),
        (27, 19),
    ],
)
def test_objective_counts(number: int, points: int) -> None:
    assert LIBRARY.objectives[number].points(ALMOST_FULL) == points


def test_diagonals_count_shades_too() -> None:
    window = grid("R1 .. Y1 .. .. / .. G1 .. .. .. / .. .. .. .. .. / .. .. .. .. R1")
    assert diagonals("shade")(window) == 3


def test_line_with_a_gap_does_not_count() -> None:
    full, gap = "R1 G1 Y1 B1 P1", "R2 G2 Y2 B2 .."
    assert difference("rows", "color")(grid(" / ".join((full, gap, gap, full)))) == 2


def test_set_counts_its_rarest_value() -> None:
    window = grid("R1 R2 R2 R1 G2 / .. .. .. .. .. / .. .. .. .. .. / .. .. .. .. ..")
    assert full_sets("shade", ("1", "2"))(window) == 2
    assert full_sets("color", ("R", "G"))(window) == 1
    assert full_sets("color", ("R", "B"))(window) == 0


def test_empty_window_counts_nothing() -> None:
    assert [card.points((None,) * 20) for card in LIBRARY.objectives.values()] == [0] * 15


def test_round_runs_there_and_back() -> None:
    assert round_from(1, 3).seats == (1, 2, 0, 0, 2, 1)


def test_round_begins_and_ends_once() -> None:
    orders = [TurnOrder(index, 0, (0, 1, 1, 0)) for index in range(4)]
    assert [order.is_round_starting for order in orders] == [True, False, False, False]
    assert [order.is_round_ending for order in orders] == [False, False, False, True]


def test_next_round_starts_one_seat_on() -> None:
    assert next_turn(TurnOrder(5, 2, (2, 0, 1, 1, 0, 2))) == round_from(0, 3)
    assert next_turn(round_from(0, 3)).index == 1


def test_two_turns_swap_two_entries() -> None:
    assert take_two_turns(round_from(0, 3)).seats == (0, 0, 2, 2, 1, 1)


def test_two_turns_in_a_row_stay() -> None:
    last = TurnOrder(2, 0, (0, 1, 2, 2, 1, 0))
    assert take_two_turns(last) == last


def test_two_turns_need_a_second_one() -> None:
    with pytest.raises(Revert, match=messages.OUT_OF_BOUNDS):
        take_two_turns(TurnOrder(3, 0, (0, 1, 2, 2, 1, 0)))


def test_second_turn_is_recognized() -> None:
    seen = [TurnOrder(index, 0, (0, 1, 1, 0)).is_second_turn for index in range(4)]
    assert seen == [False, False, True, True]
