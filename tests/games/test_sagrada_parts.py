"""Conditions and instructions by themselves, also in ways that no present card uses."""

from __future__ import annotations

from typing import Any

import pytest

from chain.errors import Revert
from contracts.sagrada import messages
from contracts.sagrada.conditions import read_condition
from contracts.sagrada.patch import apply, diff
from contracts.sagrada.schema import Facts, Spot
from contracts.sagrada.tables import after, table

FACTS = Facts(arguments=4, on_cells=True, card=1, deck_size=12)
STATE = table(
    window="R1b.... ..... ..... .....",
    moved="R1b.G2c",
    track="G1d",
    picked="R3c",
    pool="G2a.B3a.P4a",
)


def asked(condition: str, args: tuple[int, ...] = (), **options: Any) -> str | None:
    """Return the answer of a condition to a table."""
    spot = Spot({"condition": condition, **options}, "card.json", facts=FACTS)
    return read_condition(spot)(STATE, args)


@pytest.mark.parametrize(
    ("bound", "first"),
    [
        (3, 3),
        ("dice_pool_size", 3),
        ("round_track_size", 1),
        ("tool_deck_size", 12),
        ("minimum_shade", 0),
        ("maximum_shade", 6),
    ],
)
def test_bounds_of_arguments(bound: str | int, first: int) -> None:
    """`first` is the first number that is not smaller."""
    compared = {"index": 0, "bound": bound}
    for number in (first - 1, first, first + 1):
        said = {
            kind: asked("arg_comparison", (number,), type_of_comparison=kind, **compared)
            for kind in ("greater_than", "smaller_than", "equal_to")
        }
        assert said["greater_than"] == (None if number >= first else messages.TOO_SMALL)
        assert said["smaller_than"] == (None if number < first else messages.TOO_BIG)
        assert said["equal_to"] == (None if number == first else messages.DIFFERENT)


def test_argument_is_the_one_at_its_index() -> None:
    compared = {"type_of_comparison": "equal_to", "index": 2, "bound": 7}
    assert asked("arg_comparison", (0, 1, 7, 3), **compared) is None
    assert asked("arg_comparison", (7, 7, 1, 7), **compared) == messages.DIFFERENT


@pytest.mark.parametrize(
    ("kind", "bound", "said"),
    [
        ("equal_to", 2, None),
        ("equal_to", 1, messages.DIFFERENT),
        ("greater_than", 2, None),
        ("greater_than", 3, messages.TOO_SMALL),
        ("smaller_than", 3, None),
        ("smaller_than", 2, messages.TOO_BIG),
    ],
)
def test_moved_dice_are_counted(kind: str, bound: int, said: str | None) -> None:
    assert asked("num_of_dice_moved", type_of_comparison=kind, bound=bound) == said


@pytest.mark.parametrize(
    ("kind", "bound", "said"),
    [
        ("equal_to", "maximum_shade", messages.CANNOT_INCREASE),
        ("equal_to", "minimum_shade", messages.CANNOT_DECREASE),
        ("greater_than", "maximum_shade", messages.CANNOT_INCREASE),
        ("smaller_than", "minimum_shade", messages.CANNOT_DECREASE),
        ("greater_than", "minimum_shade", None),
        ("smaller_than", "maximum_shade", None),
    ],
)
def test_shade_is_compared_with_its_ends(kind: str, bound: str, said: str | None) -> None:
    assert asked("shade_comparison", type_of_comparison=kind, bound=bound) == said


@pytest.mark.parametrize(
    ("feature", "pool", "said"),
    [
        ("color", "dice_pool", messages.no_sharing_die("color", "dice pool")),
        ("shade", "dice_pool", messages.no_sharing_die("shade", "dice pool")),
        ("color", "dice_moved", None),
        ("shade", "dice_moved", None),
        ("color", "round_track", messages.no_sharing_die("color", "round track")),
        ("shade", "round_track", None),
    ],
)
def test_sharing_looks_at_one_pool(feature: str, pool: str, said: str | None) -> None:
    assert asked("share", (0, 0), object=feature, pool=pool, value_if_empty=False) == said


def test_empty_cell_shares_nothing() -> None:
    shared = {"object": "color", "pool": "dice_pool", "value_if_empty": True}
    assert asked("share", (0, 1), **shared) == messages.EMPTY


def test_empty_cell_cannot_be_moved() -> None:
    rules = {"placing": True, "color": True, "shade": True}
    assert asked("move_rule_check", (0, 1, 1, 1), **rules) == messages.EMPTY
    assert asked("not_die_already_moved", (0, 1, 1, 1)) is None
    assert asked("not_die_already_moved", (0, 0, 1, 1)) == messages.MOVED


def test_moves_of_a_turn_are_counted() -> None:
    moving = {"window": "R1b.... ..... ..... .....", "in_use": "2/2"}
    before = table(moved=".".join(["R1b"] * 89), **moving)
    most = after(before, "move 1 1 1 2")
    assert apply(most, diff(most, before)) == before
    with pytest.raises(Revert, match=messages.OUT_OF_BOUNDS):
        after(table(moved=".".join(["R1b"] * 90), **moving), "move 1 1 1 2")


def test_die_placed_can_be_asked_for() -> None:
    assert asked("die_placed", value=True) == messages.NOT_PLACED
    assert asked("die_placed", value=False) is None
