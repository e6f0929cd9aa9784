"""The models and events of Mage Duel by the names and fields that others know, in their order, keys marked with a star."""

from __future__ import annotations

from typing import Any, Final

import pytest

from chain.spec.models import model_spec
from contracts.mage_duel import Game, PlayerProfile, events, models

OPENING: Final = "top_tile state player1 player2 blue_score red_score last_move_id game_state"
MODELS: Final = {
    "Board": "*id initial_edge_state available_tiles_in_deck top_tile state player1 player2 blue_score red_score "
    "last_move_id game_state moves_done last_update_timestamp",
    "Move": "*id player_side prev_move_id tile rotation col row is_joker first_board_id timestamp",
    "Rules": "*id deck edges joker_number joker_price",
    "Game": "*player status board_id snapshot_id",
    "Snapshot": "*snapshot_id player board_id move_number",
    "UnionFind": "*board_id nodes_parents nodes_ranks nodes_blue_points nodes_red_points nodes_open_edges "
    "nodes_contested nodes_types potential_city_contests potential_road_contests",
    "Player": "*player_id username balance games_played active_skin role",
    "Shop": "*shop_id skin_prices",
    "Trophy": "*id title task_id count points",
    "TrophyProgress": "*player_id *task_id count",
}
REFUSAL: Final = "*player_id board_id"
EVENTS: Final = {
    "BoardCreated": f"*board_id initial_edge_state {OPENING}",
    "BoardUpdated": "*board_id available_tiles_in_deck top_tile state player1 player2 blue_score red_score last_move_id "
    "moves_done game_state",
    "Moved": "*move_id player prev_move_id tile rotation col row is_joker board_id timestamp",
    "Skiped": "*move_id player prev_move_id board_id timestamp",
    "InvalidMove": "*player prev_move_id tile rotation col row is_joker board_id",
    "GameCreated": "*host_player status",
    "GameCreateFailed": "*host_player status",
    "GameCanceled": "*host_player status",
    "GameCanceleFailed": "*host_player status",
    "GameJoinFailed": "*host_player guest_player host_game_status guest_game_status",
    "GameStarted": "*host_player guest_player board_id",
    "GameFinished": "*host_player board_id",
    "GameIsAlreadyFinished": REFUSAL,
    "NotYourTurn": REFUSAL,
    "NotEnoughJokers": REFUSAL,
    "PlayerNotInGame": REFUSAL,
    "CantFinishGame": REFUSAL,
    "CityContestWon": "*board_id *root winner red_points blue_points",
    "RoadContestWon": "*board_id *root winner red_points blue_points",
    "CityContestDraw": "*board_id *root red_points blue_points",
    "RoadContestDraw": "*board_id *root red_points blue_points",
    "SnapshotCreated": "*snapshot_id player board_id move_number",
    "SnapshotCreateFailed": "*player board_id board_game_state move_number",
    "BoardCreateFromSnapshotFalied": "*player old_board_id move_number",
    "BoardCreatedFromSnapshot": "*board_id old_board_id move_number initial_edge_state available_tiles_in_deck "
    + OPENING,
    "RulesCreated": "*rules_id deck edges joker_number joker_price",
    "CurrentPlayerBalance": "*player_id balance",
    "CurrentPlayerUsername": "*player_id username",
    "CurrentPlayerActiveSkin": "*player_id active_skin",
    "PlayerUsernameChanged": "*player_id new_username",
    "PlayerSkinChanged": "*player_id new_skin",
    "PlayerSkinChangeFailed": "*player_id new_skin skin_price balance",
    "TrophyCreation": "*id title task_id count points",
    "TrophyProgression": "*player_id *task_id count time",
}
NEVER_ANNOUNCED: Final = {"BoardCreatedFromSnapshot", "GameCanceleFailed", "RulesCreated"}
FROM_THE_LIBRARY: Final = {"TrophyCreation", "TrophyProgression"}
# A name means the same everywhere; the few that do not are listed by model.
TYPES: Final = {
    "uint256": "board_id old_board_id move_id id rules_id snapshot_id shop_id first_board_id username "
    "new_username games_played",
    "(bool,uint256)": "prev_move_id last_move_id Game.board_id Game.snapshot_id",
    "address": "player player_id host_player guest_player",
    "(address,uint8,uint8)": "player1 player2",
    "(uint16,uint16)": "blue_score red_score",
    "(uint8,uint8,uint8)[]": "state",
    "(uint8,uint8)": "edges",
    "(bool,uint8)": "top_tile tile",
    "uint8[]": "initial_edge_state available_tiles_in_deck deck nodes_parents nodes_ranks nodes_open_edges nodes_types "
    "potential_city_contests potential_road_contests",
    "uint16[]": "nodes_blue_points nodes_red_points",
    "uint32[]": "skin_prices",
    "bool[]": "nodes_contested",
    "bool": "is_joker",
    "uint8": "player_side winner status host_game_status guest_game_status game_state board_game_state moves_done rotation "
    "col row root move_number joker_number active_skin new_skin role",
    "uint16": "joker_price red_points blue_points points",
    "uint32": "balance skin_price count",
    "uint64": "timestamp last_update_timestamp time",
    "string": "title task_id Trophy.id TrophyCreation.id",
}
TYPE_OF: Final = {name: type for type, names in TYPES.items() for name in names.split()}


def check(record: Any, fields: str) -> None:
    assert (
        " ".join("*" * (each.name in record.keys) + each.name for each in record.members) == fields
    )
    for each in record.members:
        expected = TYPE_OF.get(f"{record.name}.{each.name}") or TYPE_OF[each.name]
        assert each.kind.abi_type == expected, each.name


@pytest.mark.parametrize("name", MODELS)
def test_model_has_known_fields(name: str) -> None:
    check(model_spec(getattr(models, name)).record, MODELS[name])


@pytest.mark.parametrize("name", EVENTS)
def test_event_has_known_fields(name: str) -> None:
    check(getattr(events, name).__event__.record, EVENTS[name])


def test_events_are_all_there() -> None:
    assert len(EVENTS.keys() - FROM_THE_LIBRARY) == 32
    announced = Game.__spec__.events.keys() | PlayerProfile.__spec__.events.keys()
    assert announced == EVENTS.keys() - NEVER_ANNOUNCED
