"""The fifteen instructions that a command may carry out, by the names the cards use.

An instruction makes the next state out of a state, the command's numbers and chance. It never asks
whether it may: the conditions did. `INSTRUCTIONS` says which options each takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from chain.errors import Revert, require
from contracts.sagrada.conditions import Args, Condition, read_condition, tool_cost
from contracts.sagrada.dice import DICE, SHADES, Chance, Die, draw_dice, insert_die, roll
from contracts.sagrada.messages import EMPTY, FAVOR, OUT_OF_BOUNDS
from contracts.sagrada.schema import Part, Spot, part, plain, read_part
from contracts.sagrada.state import (
    BoardTool,
    RoundTrack,
    State,
    Turn,
    current_player,
    is_finished,
    picked_die,
    with_current_player,
    with_turn,
)
from contracts.sagrada.turns import next_turn
from contracts.sagrada.turns import take_two_turns as order_with_two_turns
from contracts.sagrada.window import cell_at, with_die

Instruction = Callable[[State, Args, Chance], State]


def advance_game(state: State, _args: Args, chance: Chance) -> State:
    """End the turn; the last turn of a round also ends the round and lays out the next pool."""
    following = replace(state, order=next_turn(state.order), turn=Turn())
    if not state.order.is_round_ending:
        return following
    following = replace(following, track=_track_with(state.track, state.pool), pool=())
    return following if is_finished(following) else fill_pool(following, chance)


def _track_with(track: RoundTrack, left: tuple[Die, ...]) -> RoundTrack:
    counts, slot = track.counts, track.round - 1
    counts = (*counts[:slot], len(left), *counts[slot + 1 :])
    return RoundTrack(track.round + 1, track.dice + left, counts)


def pool_size(state: State) -> int:
    """How many dice lie there when a round begins."""
    return 2 * len(state.players) + 1


def fill_pool(state: State, chance: Chance) -> State:
    pool, bag = draw_dice(state.bag, pool_size(state), chance)
    return replace(state, pool=pool, bag=bag)


def re_roll_pool(state: State, _args: Args, chance: Chance) -> State:
    return replace(state, pool=tuple(Die(die.id, roll(chance)) for die in state.pool))


def swap_from_round_track(state: State, args: Args, _chance: Chance) -> State:
    picked, dice, index = picked_die(state), state.track.dice, args[0]
    require(0 <= index < len(dice), OUT_OF_BOUNDS)
    track = replace(state.track, dice=(*dice[:index], picked, *dice[index + 1 :]))
    return with_turn(replace(state, track=track), picked=dice[index])


def take_two_turns(state: State, _args: Args, _chance: Chance) -> State:
    return replace(state, order=order_with_two_turns(state.order))


def pick_die_from_dice_bag(state: State, _args: Args, chance: Chance) -> State:
    (die,), bag = draw_dice(state.bag, 1, chance)
    return with_turn(replace(state, bag=bag), picked=die)


def pick_die_from_dice_pool(state: State, args: Args, _chance: Chance) -> State:
    pool, index = state.pool, args[0]
    require(0 <= index < len(pool), OUT_OF_BOUNDS)
    return replace(
        state,
        pool=pool[:index] + pool[index + 1 :],
        turn=replace(state.turn, picked=pool[index]),
    )


def place_die(state: State, args: Args, _chance: Chance) -> State:
    window = current_player(state).window
    window = with_die(window, cell_at(args[0], args[1]), picked_die(state))
    return with_turn(with_current_player(state, window=window), picked=None, die_placed=True)


def return_die_to_dice_bag(state: State, _args: Args, chance: Chance) -> State:
    bag = insert_die(state.bag, picked_die(state), chance)
    return with_turn(replace(state, bag=bag), picked=None)


def roll_die(state: State, _args: Args, chance: Chance) -> State:
    return with_turn(state, picked=Die(picked_die(state).id, roll(chance)))


NEW_SHADES: Final[Mapping[str, Callable[[int, Args], int]]] = MappingProxyType(
    {
        "increase": lambda shade, _: shade + 1,
        "decrease": lambda shade, _: shade - 1,
        "flip": lambda shade, _: 7 - shade,
        "no_constraint": lambda _, args: args[0] + 1,
    }
)


def set_shade_of_picked_die(argument: str) -> Instruction:
    changed = NEW_SHADES[argument]

    def instruction(state: State, args: Args, _chance: Chance) -> State:
        die = picked_die(state)
        shade = changed(die.shade, args)
        require(shade in SHADES, OUT_OF_BOUNDS)
        return with_turn(state, picked=Die(die.id, shade))

    return instruction


def manage_favor_points(card: int) -> Instruction:
    """The player pays, and the card keeps what it cost."""

    def instruction(state: State, _args: Args, _chance: Chance) -> State:
        cost = tool_cost(state, card)
        left = current_player(state).favor_points - cost
        require(left >= 0, FAVOR)
        tools = tuple(
            BoardTool(card, tool.favor_points + cost) if tool.id == card else tool
            for tool in state.tools
        )
        return with_current_player(replace(state, tools=tools), favor_points=left)

    return instruction


def activate_tool(card: int, active: bool) -> Instruction:
    """Any card sets the passive id; only an active card sets the one that blocks basic commands."""
    changes: dict[str, Any] = {"tool_activated": True, "passive_tool": card}
    if active:
        changes["active_tool"] = card
    return lambda state, _args, _chance: with_turn(state, **changes)


def tear_down(condition: Condition | None) -> Instruction:
    def instruction(state: State, args: Args, _chance: Chance) -> State:
        if condition is not None and condition(state, args) is not None:
            return state
        return with_turn(state, active_tool=0, passive_tool=0)

    return instruction


def tear_down_passive_tools(state: State, _args: Args, _chance: Chance) -> State:
    """A die still held goes back to the end of the pool."""
    picked = state.turn.picked
    if picked is not None:
        state = replace(state, pool=(*state.pool, picked))
    elif not state.turn.passive_tool:
        return state
    return with_turn(state, passive_tool=0, picked=None)


def move_die(state: State, args: Args, _chance: Chance) -> State:
    """A card may let the same die move again and again, though not for ever: the moves of a turn go into a patch."""
    require(len(state.turn.moved) < DICE, OUT_OF_BOUNDS)
    window = current_player(state).window
    source, target = cell_at(args[0], args[1]), cell_at(args[2], args[3])
    die = window.dice[source]
    if die is None:
        raise Revert(EMPTY)
    window = with_die(with_die(window, source, None), target, die)
    return with_turn(with_current_player(state, window=window), moved=(*state.turn.moved, die))


def _new_shade(spot: Spot) -> str:
    name = spot.one_of(NEW_SHADES)
    if name == "no_constraint" and not spot.facts.arguments:
        raise spot.error("the command has no argument to take the shade from")
    return name


def _condition_or_null(spot: Spot) -> Condition | None:
    return None if spot.value is None else read_condition(spot)


INSTRUCTIONS: Final[Mapping[str, Part[Instruction]]] = MappingProxyType(
    {
        "advance_game": plain(advance_game),
        "re_roll_pool": plain(re_roll_pool),
        "swap_from_round_track": plain(swap_from_round_track, arguments=1),
        "take_two_turns": plain(take_two_turns),
        "pick_die_from_dice_bag": plain(pick_die_from_dice_bag),
        "pick_die_from_dice_pool": plain(pick_die_from_dice_pool, arguments=1),
        "place_die": plain(place_die, cells=1),
        "return_die_to_dice_bag": plain(return_die_to_dice_bag),
        "roll_die": plain(roll_die),
        "set_shade_of_picked_die": part(set_shade_of_picked_die, argument=_new_shade),
        "manage_favor_points": part(manage_favor_points, given=("card",)),
        "activate_tool": part(activate_tool, given=("card", "active")),
        "tear_down": part(tear_down, condition=_condition_or_null),
        "tear_down_passive_tools": plain(tear_down_passive_tools),
        "move_die": plain(move_die, cells=2),
    }
)


def read_instruction(spot: Spot) -> Instruction:
    return read_part(spot, "instruction", INSTRUCTIONS)
