"""The fifteen conditions that a command may set, by the names the cards use.

A condition looks at the state and at the numbers of the command's text (each one less than written,
so that they count from 0) and answers None where it holds, else the sentence the player reads.
`CONDITIONS` says which options each takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from contracts.sagrada import messages
from contracts.sagrada.dice import FEATURES, Die
from contracts.sagrada.placement import compose
from contracts.sagrada.schema import (
    Kind,
    Part,
    Spot,
    among,
    argument_index,
    column_index,
    flag,
    part,
    plain,
    read_part,
    row_index,
)
from contracts.sagrada.state import State, board_tool, current_player
from contracts.sagrada.window import COLUMNS, ROWS, cell_at, with_die

Args = tuple[int, ...]
Condition = Callable[[State, Args], str | None]
Comparison = Callable[[int, int], bool]

COMPARISONS: Final[Mapping[str, tuple[Comparison, str]]] = MappingProxyType(
    {
        "greater_than": (lambda number, bound: number >= bound, messages.TOO_SMALL),
        "smaller_than": (lambda number, bound: number < bound, messages.TOO_BIG),
        "equal_to": (lambda number, bound: number == bound, messages.DIFFERENT),
    }
)
SHADE_COMPARISONS: Final[Mapping[str, Comparison]] = MappingProxyType(
    {
        "greater_than": lambda shade, bound: shade > bound,
        "smaller_than": lambda shade, bound: shade < bound,
        "equal_to": lambda shade, bound: shade == bound,
    }
)
SHADE_BOUNDS: Final = MappingProxyType(
    {
        "minimum_shade": (1, messages.CANNOT_DECREASE),
        "maximum_shade": (6, messages.CANNOT_INCREASE),
    }
)
BOUNDS: Final[Mapping[str, Callable[[State, int], int]]] = MappingProxyType(
    {
        "dice_pool_size": lambda state, _: len(state.pool),
        "round_track_size": lambda state, _: len(state.track.dice),
        "tool_deck_size": lambda _, deck_size: deck_size,
        "minimum_shade": lambda _, __: 0,
        "maximum_shade": lambda _, __: 6,
    }
)
POOLS: Final[Mapping[str, tuple[str, Callable[[State], tuple[Die, ...]]]]] = MappingProxyType(
    {
        "round_track": ("round track", lambda state: state.track.dice),
        "dice_moved": ("dice-moved pool", lambda state: state.turn.moved),
        "dice_pool": ("dice pool", lambda state: state.pool),
    }
)


def arg_comparison(
    type_of_comparison: str, index: int, bound: int | str, deck_size: int
) -> Condition:
    holds, message = COMPARISONS[type_of_comparison]
    if isinstance(bound, int):
        fixed = bound
        return lambda _, args: None if holds(args[index], fixed) else message
    measure = BOUNDS[bound]
    return lambda state, args: None if holds(args[index], measure(state, deck_size)) else message


def die_picked(value: bool) -> Condition:
    """A die held under a passive tool counts as either: basic commands may still end the tool."""
    message = messages.NOT_PICKED if value else messages.DIE_PICKED

    def refusal(state: State, _args: Args) -> str | None:
        turn = state.turn
        picked = turn.picked is not None
        if picked is value or (picked and turn.passive_tool and not turn.active_tool):
            return None
        return message

    return refusal


def shade_comparison(type_of_comparison: str, bound: str) -> Condition:
    compare = SHADE_COMPARISONS[type_of_comparison]
    limit, message = SHADE_BOUNDS[bound]

    def refusal(state: State, _args: Args) -> str | None:
        picked = state.turn.picked
        if picked is None:
            return messages.NOT_PICKED
        return None if compare(picked.shade, limit) else message

    return refusal


def tool_cost(state: State, card: int) -> int:
    """One favor point for the first use of a card, two for every later one."""
    return 2 if board_tool(state, card).favor_points else 1


def favor_points_check(card: int) -> Condition:
    def refusal(state: State, _args: Args) -> str | None:
        enough = current_player(state).favor_points >= tool_cost(state, card)
        return None if enough else messages.FAVOR

    return refusal


def tool_not_activated(state: State, _args: Args) -> str | None:
    return messages.TOOL_USED if state.turn.tool_activated else None


def tool_not_active(state: State, _args: Args) -> str | None:
    return messages.TOOL_ACTIVE if state.turn.active_tool else None


def die_placed(value: bool) -> Condition:
    message = messages.NOT_PLACED if value else messages.PLACED
    return lambda state, _: None if state.turn.die_placed is value else message


def first_turn(value: bool) -> Condition:
    message = messages.SECOND_TURN if value else messages.FIRST_TURN
    return lambda state, _: message if state.order.is_second_turn is value else None


def share(object: str, pool: str, value_if_empty: bool) -> Condition:
    of = FEATURES[object].of
    name, dice_of = POOLS[pool]
    message = messages.no_sharing_die(object, name)

    def refusal(state: State, args: Args) -> str | None:
        dice = dice_of(state)
        if not dice:
            return None if value_if_empty else message
        die = _die_at(state, args)
        if die is None:
            return messages.EMPTY
        own = of(die)
        return None if any(of(other) == own for other in dice) else message

    return refusal


def free_slot(row_index: int, column_index: int, value: bool) -> Condition:
    message = messages.OCCUPIED if value else messages.EMPTY

    def refusal(state: State, args: Args) -> str | None:
        die = current_player(state).window.dice[cell_at(args[row_index], args[column_index])]
        return None if (die is None) is value else message

    return refusal


def move_rule_check(placing: bool, color: bool, shade: bool) -> Condition:
    """The rules hold at the target once the die has been lifted from its source."""
    rule = compose(placing=placing, color=color, shade=shade)

    def refusal(state: State, args: Args) -> str | None:
        window = current_player(state).window
        source = cell_at(args[0], args[1])
        die = window.dice[source]
        if die is None:
            return messages.EMPTY
        return rule(with_die(window, source, None), cell_at(args[2], args[3]), die)

    return refusal


def not_die_already_moved(state: State, args: Args) -> str | None:
    die = _die_at(state, args)
    if die is not None and any(moved.id == die.id for moved in state.turn.moved):
        return messages.MOVED
    return None


def num_of_dice_moved(type_of_comparison: str, bound: int) -> Condition:
    holds, message = COMPARISONS[type_of_comparison]
    return lambda state, _: None if holds(len(state.turn.moved), bound) else message


def placing_rule_check(placing: bool, color: bool, shade: bool) -> Condition:
    rule = compose(placing=placing, color=color, shade=shade)

    def refusal(state: State, args: Args) -> str | None:
        die = state.turn.picked
        if die is None:
            return messages.NOT_PICKED
        return rule(current_player(state).window, cell_at(args[0], args[1]), die)

    return refusal


def valid_coordinates(_state: State, args: Args) -> str | None:
    rows, columns = args[::2], args[1::2]
    if all(0 <= row < ROWS for row in rows) and all(0 <= column < COLUMNS for column in columns):
        return None
    return messages.COORD


def _die_at(state: State, args: Args) -> Die | None:
    return current_player(state).window.dice[cell_at(args[0], args[1])]


def _bound(spot: Spot) -> int | str:
    return spot.one_of(BOUNDS) if isinstance(spot.value, str) else spot.number(0, 255)


def _count(spot: Spot) -> int:
    return spot.number(0, 20)


FEATURE: Final[Kind] = among(FEATURES)
COMPARISON: Final[Kind] = among(COMPARISONS)

CONDITIONS: Final[Mapping[str, Part[Condition]]] = MappingProxyType(
    {
        "arg_comparison": part(
            arg_comparison,
            given=("deck_size",),
            type_of_comparison=COMPARISON,
            index=argument_index,
            bound=_bound,
        ),
        "die_picked": part(die_picked, value=flag),
        "shade_comparison": part(
            shade_comparison,
            type_of_comparison=among(SHADE_COMPARISONS),
            bound=among(SHADE_BOUNDS),
        ),
        "favor_points_check": part(favor_points_check, given=("card",)),
        "tool_not_activated": plain(tool_not_activated),
        "tool_not_active": plain(tool_not_active),
        "die_placed": part(die_placed, value=flag),
        "first_turn": part(first_turn, value=flag),
        "share": part(share, cells=1, object=FEATURE, pool=among(POOLS), value_if_empty=flag),
        "free_slot": part(
            free_slot, cells=1, row_index=row_index, column_index=column_index, value=flag
        ),
        "move_rule_check": part(move_rule_check, cells=2, placing=flag, color=flag, shade=flag),
        "not_die_already_moved": plain(not_die_already_moved, cells=1),
        "num_of_dice_moved": part(num_of_dice_moved, type_of_comparison=COMPARISON, bound=_count),
        "placing_rule_check": part(
            placing_rule_check, cells=1, placing=flag, color=flag, shade=flag
        ),
        "valid_coordinates": plain(valid_coordinates),
    }
)


def read_condition(spot: Spot) -> Condition:
    return read_part(spot, "condition", CONDITIONS)
