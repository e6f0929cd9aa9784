"""What a duel announces, under the names that listeners know, the misspelt ones included.

A refused call is no failure: it changes nothing, and one of these says why. Three stand in the list of the original and are
never announced.
"""

from __future__ import annotations

from chain import Address, Key, event
from chain.types import felt252, u8, u16, u32, u64
from contracts.mage_duel.models import GameState, Seat
from contracts.mage_duel.session import GameStatus
from contracts.mage_duel.state import Cell, PlayerSide, Score

# Boards and moves


@event
class BoardCreated:
    board_id: Key[felt252]
    initial_edge_state: list[u8]
    top_tile: u8 | None
    state: list[Cell]
    player1: Seat
    player2: Seat
    blue_score: Score
    red_score: Score
    last_move_id: felt252 | None
    game_state: GameState


@event
class BoardUpdated:
    board_id: Key[felt252]
    available_tiles_in_deck: list[u8]
    top_tile: u8 | None
    state: list[Cell]
    player1: Seat
    player2: Seat
    blue_score: Score
    red_score: Score
    last_move_id: felt252 | None
    moves_done: u8
    game_state: GameState


@event
class Moved:
    move_id: Key[felt252]
    player: Address
    prev_move_id: felt252 | None
    tile: u8 | None
    rotation: u8
    col: u8
    row: u8
    is_joker: bool
    board_id: felt252
    timestamp: u64


@event
class Skiped:
    move_id: Key[felt252]
    player: Address
    prev_move_id: felt252 | None
    board_id: felt252
    timestamp: u64


@event
class InvalidMove:
    player: Key[Address]
    prev_move_id: felt252 | None
    tile: u8 | None
    rotation: u8
    col: u8
    row: u8
    is_joker: bool
    board_id: felt252


# Games


@event
class GameCreated:
    host_player: Key[Address]
    status: GameStatus


@event
class GameCreateFailed:
    host_player: Key[Address]
    status: GameStatus


@event
class GameJoinFailed:
    host_player: Key[Address]
    guest_player: Address
    host_game_status: GameStatus
    guest_game_status: GameStatus


@event
class GameStarted:
    host_player: Key[Address]
    guest_player: Address
    board_id: felt252


@event
class GameCanceled:
    host_player: Key[Address]
    status: GameStatus


@event
class GameCanceleFailed:
    """Never announced."""

    host_player: Key[Address]
    status: GameStatus


@event
class GameFinished:
    host_player: Key[Address]
    board_id: felt252


# Refusals


@event
class GameIsAlreadyFinished:
    player_id: Key[Address]
    board_id: felt252


@event
class NotYourTurn:
    player_id: Key[Address]
    board_id: felt252


@event
class NotEnoughJokers:
    player_id: Key[Address]
    board_id: felt252


@event
class PlayerNotInGame:
    player_id: Key[Address]
    board_id: felt252


@event
class CantFinishGame:
    player_id: Key[Address]
    board_id: felt252


# Contests, with the points as they were before


@event
class CityContestWon:
    board_id: Key[felt252]
    root: Key[u8]
    winner: PlayerSide
    red_points: u16
    blue_points: u16


@event
class CityContestDraw:
    board_id: Key[felt252]
    root: Key[u8]
    red_points: u16
    blue_points: u16


@event
class RoadContestWon:
    board_id: Key[felt252]
    root: Key[u8]
    winner: PlayerSide
    red_points: u16
    blue_points: u16


@event
class RoadContestDraw:
    board_id: Key[felt252]
    root: Key[u8]
    red_points: u16
    blue_points: u16


# Snapshots


@event
class SnapshotCreated:
    snapshot_id: Key[felt252]
    player: Address
    board_id: felt252
    move_number: u8


@event
class SnapshotCreateFailed:
    player: Key[Address]
    board_id: felt252
    board_game_state: GameState
    move_number: u8


@event
class BoardCreatedFromSnapshot:
    """Never announced."""

    board_id: Key[felt252]
    old_board_id: felt252
    move_number: u8
    initial_edge_state: list[u8]
    available_tiles_in_deck: list[u8]
    top_tile: u8 | None
    state: list[Cell]
    player1: Seat
    player2: Seat
    blue_score: Score
    red_score: Score
    last_move_id: felt252 | None
    game_state: GameState


@event
class BoardCreateFromSnapshotFalied:
    player: Key[Address]
    old_board_id: felt252
    move_number: u8


# Rules, players, trophies


@event
class RulesCreated:
    """Never announced."""

    rules_id: Key[felt252]
    deck: list[u8]
    edges: tuple[u8, u8]
    joker_number: u8
    joker_price: u16


@event
class CurrentPlayerBalance:
    player_id: Key[Address]
    balance: u32


@event
class CurrentPlayerUsername:
    player_id: Key[Address]
    username: felt252


@event
class CurrentPlayerActiveSkin:
    player_id: Key[Address]
    active_skin: u8


@event
class PlayerUsernameChanged:
    player_id: Key[Address]
    new_username: felt252


@event
class PlayerSkinChanged:
    player_id: Key[Address]
    new_skin: u8


@event
class PlayerSkinChangeFailed:
    player_id: Key[Address]
    new_skin: u8
    skin_price: u32
    balance: u32


@event
class TrophyCreation:
    id: Key[str]
    title: str
    task_id: str
    count: u32
    points: u16


@event
class TrophyProgression:
    """`count` is what this report adds."""

    player_id: Key[Address]
    task_id: Key[str]
    count: u32
    time: u64
