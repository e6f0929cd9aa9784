"""The state as JSON, one to one and both ways.

Cards are written with name and description, for people; only their ids are read. What a player may
see of it is the same without the bag and without the other players' private objectives.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from chain.errors import Revert
from contracts.sagrada.cards import Objective, Tool
from contracts.sagrada.dice import COLOR, DICE, SHADE, SHADES, Bag, Die, Feature
from contracts.sagrada.library import LIBRARY, Library
from contracts.sagrada.messages import UNKNOWN_PLAYER
from contracts.sagrada.schema import DataError, Spot
from contracts.sagrada.state import ROUNDS, BoardTool, Player, RoundTrack, State, Turn
from contracts.sagrada.turns import TurnOrder
from contracts.sagrada.window import CELLS, Frame, Window

Json = dict[str, Any]
PRIVATE = "private objective"
BYTE = 255


def encode(state: State, library: Library = LIBRARY) -> Json:
    turn = state.turn
    return {
        "round_track": {
            "current_round_number": state.track.round,
            "all_dice": [_die(die) for die in state.track.dice],
            "number_of_dice_on_slot": list(state.track.counts),
        },
        "dice_bag": {"dice": [_die(Die(i, shade)) for i, shade in enumerate(state.bag) if shade]},
        "dice_pool": [_die(die) for die in state.pool],
        "picked_die": turn.picked and _die(turn.picked),
        "die_placed": turn.die_placed,
        "tool_activated": turn.tool_activated,
        "undo_available": turn.undo_available,
        "active_tool_ID": turn.active_tool,
        "passive_tool_ID": turn.passive_tool,
        "dice_moved": [_die(die) for die in turn.moved],
        "public_objectives": [_card(library.objectives[number]) for number in state.objectives],
        "tools": [
            _card(library.tools[tool.id]) | {"favor_points": tool.favor_points}
            for tool in state.tools
        ],
        "turn_manager": _turn_manager(state, library),
    }


def encode_for(state: State, player: str, library: Library = LIBRARY) -> Json:
    """What `player` may see."""
    if all(player != other.username for other in state.players):
        raise Revert(UNKNOWN_PLAYER)
    document = encode(state, library)
    del document["dice_bag"]
    for other in document["turn_manager"]["players"]:
        if other["username"] != player:
            del other[PRIVATE]
    return document


def _turn_manager(state: State, library: Library) -> Json:
    order = state.order
    return {
        "round_starting": order.is_round_starting,
        "round_ending": order.is_round_ending,
        "turn_index": order.index,
        "first_player_index": order.first,
        "player_turns": [state.players[seat].username for seat in order.seats],
        "players": [_player(player, library) for player in state.players],
    }


def _player(player: Player, library: Library) -> Json:
    window, number = player.window, player.objective
    return {
        "username": player.username,
        "favor_points": player.favor_points,
        "window_frame": {
            "name": window.frame.name,
            "difficulty": window.frame.difficulty,
            "coordinates": [
                {
                    "die": die and _die(die),
                    "color_constraint": _named(COLOR, mark),
                    "shade_constraint": _named(SHADE, mark),
                }
                for die, mark in zip(window.dice, window.frame.marks, strict=True)
            ],
        },
        PRIVATE: None if number is None else _card(library.objectives[number]),
    }


def _die(die: Die) -> Json:
    return {"id": die.id, "color": _named(COLOR, COLOR.of(die)), "shade": die.shade}


def _card(card: Tool | Objective) -> Json:
    return {"id": card.id, "name": card.name, "description": card.description}


def _named(feature: Feature, mark: str) -> str | int | None:
    return feature.names[feature.marks.index(mark)] if mark in feature.marks else None


def decode(document: Json, library: Library = LIBRARY) -> State:
    """The state that a JSON document describes; a `DataError` names the key that makes no sense."""
    spot = Spot(document, "state")
    spot.expect_keys(
        "round_track", "dice_bag", "dice_pool", "picked_die", "die_placed", "tool_activated",
        "undo_available", "active_tool_ID", "passive_tool_ID", "dice_moved", "public_objectives",
        "tools", "turn_manager",
    )  # fmt: skip
    manager = spot.key("turn_manager")
    manager.expect_keys(
        "round_starting", "round_ending", "turn_index", "first_player_index", "player_turns",
        "players",
    )  # fmt: skip
    players = tuple(_read_player(player, library) for player in manager.key("players").items())
    return State(
        _read_track(spot.key("round_track")),
        _read_bag(spot.key("dice_bag")),
        _read_dice(spot.key("dice_pool")),
        _read_turn(spot),
        tuple(_read_id(card, library.public) for card in spot.key("public_objectives").items()),
        tuple(_read_tool(tool, library) for tool in spot.key("tools").items()),
        _read_order(manager, [player.username for player in players]),
        players,
    )


def _read_track(spot: Spot) -> RoundTrack:
    spot.expect_keys("current_round_number", "all_dice", "number_of_dice_on_slot")
    counts = spot.key("number_of_dice_on_slot")
    if len(counts.items()) != ROUNDS:
        raise counts.error(f"the round track has {ROUNDS} slots")
    return RoundTrack(
        spot.key("current_round_number").number(1, ROUNDS + 1),
        _read_dice(spot.key("all_dice")),
        tuple(count.number(0, DICE) for count in counts.items()),
    )


def _read_bag(spot: Spot) -> Bag:
    spot.expect_keys("dice")
    shades = [0] * DICE
    for item in spot.key("dice").items():
        die = _read_die(item)
        if shades[die.id]:
            raise item.error("this die is in the bag twice")
        shades[die.id] = die.shade
    return tuple(shades)


def _read_turn(spot: Spot) -> Turn:
    picked = spot.key("picked_die")
    return Turn(
        None if picked.value is None else _read_die(picked),
        spot.key("die_placed").flag(),
        spot.key("tool_activated").flag(),
        spot.key("undo_available").flag(),
        spot.key("active_tool_ID").number(0, BYTE),
        spot.key("passive_tool_ID").number(0, BYTE),
        _read_dice(spot.key("dice_moved")),
    )


def _read_tool(spot: Spot, library: Library) -> BoardTool:
    number = _read_id(spot, library.tools, "favor_points")
    return BoardTool(number, spot.key("favor_points").number(0, BYTE))


def _read_order(spot: Spot, names: list[str]) -> TurnOrder:
    turns = spot.key("player_turns")
    seats = tuple(names.index(turn.one_of(names)) for turn in turns.items())
    order = TurnOrder(
        spot.key("turn_index").number(0, len(seats) - 1),
        spot.key("first_player_index").number(0, len(names) - 1),
        seats,
    )
    ends = {"round_starting": order.is_round_starting, "round_ending": order.is_round_ending}
    for name, so in ends.items():
        if spot.key(name).flag() != so:
            raise spot.key(name).error("this does not agree with turn_index")
    return order


def _read_player(spot: Spot, library: Library) -> Player:
    spot.expect_keys("username", "favor_points", "window_frame", PRIVATE)
    card = spot.key(PRIVATE)
    return Player(
        spot.key("username").text(),
        spot.key("favor_points").number(0, BYTE),
        None if card.value is None else _read_id(card, library.private),
        _read_window(spot.key("window_frame")),
    )


def _read_window(spot: Spot) -> Window:
    spot.expect_keys("name", "difficulty", "coordinates")
    cells = spot.key("coordinates").items()
    if len(cells) != CELLS:
        raise spot.key("coordinates").error(f"a window has {CELLS} cells")
    dice = [cell.key("die") for cell in cells]
    return Window(
        Frame(
            spot.key("name").text(),
            spot.key("difficulty").number(1, BYTE),
            "".join(_read_mark(cell) for cell in cells),
        ),
        tuple(None if die.value is None else _read_die(die) for die in dice),
    )


def _read_mark(cell: Spot) -> str:
    cell.expect_keys("die", "color_constraint", "shade_constraint")
    marks = ""
    for feature in (COLOR, SHADE):
        constraint = cell.key(f"{feature.name}_constraint")
        if constraint.value is not None:
            marks += feature.marks[feature.names.index(constraint.one_of(feature.names))]
    if len(marks) > 1:
        raise cell.error("a cell has one constraint at most")
    return marks or "."


def _read_dice(spot: Spot) -> tuple[Die, ...]:
    return tuple(_read_die(item) for item in spot.items())


def _read_die(spot: Spot) -> Die:
    spot.expect_keys("id", "color", "shade")
    die = Die(spot.key("id").number(0, DICE - 1), spot.key("shade").one_of(SHADES))
    if spot.key("color").value != _named(COLOR, COLOR.of(die)):
        raise spot.key("color").error(f"the die with id {die.id} has another color")
    return die


def _read_id(spot: Spot, known: Iterable[int], *more: str) -> int:
    spot.expect_keys("id", "name", "description", *more)
    return spot.key("id").one_of(known)


__all__ = ["DataError", "Json", "decode", "encode", "encode_for"]
