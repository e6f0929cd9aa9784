"""The models of a duel, as the World keeps them.

A `Board` is where a duel stands and a `Move` is one step on the way there: each move names the one before it, so that from a
board's last move the whole way back can be walked. `UnionFind` holds the cities and roads of a board, an array for each thing
about a node; `Game` says which board a player sits at. Beside the models of the original stand two for its trophies.
Pairs run Blue first, scores city first.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from chain import Address, Key, model
from chain.types import felt252, u8, u16, u32, u64
from contracts.mage_duel.session import GameStatus
from contracts.mage_duel.state import Cell, PlayerSide, Score


class GameState(Enum):
    """Whether a board is still played on."""

    IN_PROGRESS = 0
    FINISHED = 1


class PlayerRole(Enum):
    """What a player is; trophies are for controllers."""

    GUEST = 0
    CONTROLLER = 1
    BOT = 2


Seat: TypeAlias = tuple[Address, PlayerSide, u8]  # who sits there, for which side, unused jokers


@model
class Board:
    id: Key[felt252]
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
    moves_done: u8
    last_update_timestamp: u64


@model
class Move:
    id: Key[felt252]
    player_side: PlayerSide
    prev_move_id: felt252 | None
    tile: u8 | None
    rotation: u8
    col: u8
    row: u8
    is_joker: bool
    first_board_id: felt252
    timestamp: u64


@model
class Rules:
    id: Key[felt252]
    deck: list[u8]
    edges: tuple[u8, u8]
    joker_number: u8
    joker_price: u16


@model
class Game:
    player: Key[Address]
    status: GameStatus
    board_id: felt252 | None
    snapshot_id: felt252 | None


@model
class Snapshot:
    snapshot_id: Key[felt252]
    player: Address
    board_id: felt252
    move_number: u8


@model
class UnionFind:
    board_id: Key[felt252]
    nodes_parents: list[u8]
    nodes_ranks: list[u8]
    nodes_blue_points: list[u16]
    nodes_red_points: list[u16]
    nodes_open_edges: list[u8]
    nodes_contested: list[bool]
    nodes_types: list[u8]
    potential_city_contests: list[u8]
    potential_road_contests: list[u8]


@model
class Player:
    player_id: Key[Address]
    username: felt252
    balance: u32
    games_played: felt252
    active_skin: u8
    role: u8


@model
class Shop:
    shop_id: Key[felt252]
    skin_prices: list[u32]


@model
class Trophy:
    """What a player gets who has reported a task so many times."""

    id: Key[str]
    title: str
    task_id: str
    count: u32
    points: u16


@model
class TrophyProgress:
    """How many times a player has reported a task."""

    player_id: Key[Address]
    task_id: Key[str]
    count: u32
