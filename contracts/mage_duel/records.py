"""How the World's models and the values of the rules turn into each other.

The rules know boards and moves without ids, accounts and links; the World keeps these beside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from chain import Address
from chain.types import u8, u64
from contracts.mage_duel import models
from contracts.mage_duel.board import NODES
from contracts.mage_duel.models import GameState, Seat
from contracts.mage_duel.state import Ending, Move, PlayerSide, RuleSet, State
from contracts.mage_duel.union_find import Components, NodeArray

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Start:
    """When a board began to be played on, and how many moves it had by then."""

    moves: u8
    at: u64


def rule_set_of(record: models.Rules) -> RuleSet:
    return RuleSet(tuple(record.deck), *record.edges, record.joker_number, record.joker_price)


def rules_record(id: int, rule_set: RuleSet) -> models.Rules:
    edges = (rule_set.cities, rule_set.roads)
    return models.Rules(id, list(rule_set.deck), edges, rule_set.joker_number, rule_set.joker_price)


def state_of(board: models.Board, last: Move | None, ending: Ending | None) -> State:
    """A board as the rules see it."""
    return State(
        ring=tuple(board.initial_edge_state),
        cells=tuple(board.state),
        deck=tuple(board.available_tiles_in_deck),
        top_tile=board.top_tile,
        jokers=(board.player1[2], board.player2[2]),
        scores=(board.blue_score, board.red_score),
        last_move=last,
        moves_done=board.moves_done,
        updated_at=board.last_update_timestamp,
        ending=ending,
    )


def new_board(id: int, host: Address, guest: Address, state: State) -> models.Board:
    """The first record of a board; its host is Blue."""
    blue, red = state.jokers
    seats = (host, PlayerSide.BLUE, blue), (guest, PlayerSide.RED, red)
    return _board_record(id, list(state.ring), seats, state, None)


def board_after(board: models.Board, state: State, last_move_id: int | None) -> models.Board:
    """A board as it stands now; what a move leaves alone is the same object as before."""
    seats = _seat_after(board.player1, state.jokers[0]), _seat_after(board.player2, state.jokers[1])
    return _board_record(board.id, board.initial_edge_state, seats, state, last_move_id)


def _board_record(
    id: int, ring: list[u8], seats: tuple[Seat, Seat], state: State, last_move_id: int | None
) -> models.Board:
    return models.Board(
        id=id,
        initial_edge_state=ring,
        available_tiles_in_deck=list(state.deck),
        top_tile=state.top_tile,
        state=list(state.cells),
        player1=seats[0],
        player2=seats[1],
        blue_score=state.scores[0],
        red_score=state.scores[1],
        last_move_id=last_move_id,
        game_state=GameState.IN_PROGRESS if state.ending is None else GameState.FINISHED,
        moves_done=state.moves_done,
        last_update_timestamp=state.updated_at,
    )


def _seat_after(seat: Seat, jokers: int) -> Seat:
    player, side, before = seat
    return seat if jokers == before else (player, side, jokers)


def seat_of(board: models.Board, player: Address) -> PlayerSide | None:
    """The side this player has on the board, if any."""
    for address, side, _ in (board.player1, board.player2):
        if address == player:
            return side
    return None


def move_of(record: models.Move) -> Move:
    """A move as the rules see it."""
    where = record.rotation, record.col, record.row
    return Move(record.player_side, record.tile, *where, record.is_joker)


def move_record(id: int, move: Move, prev: int | None, board_id: int, now: int) -> models.Move:
    where = move.rotation, move.col, move.row
    return models.Move(id, move.side, prev, move.tile, *where, move.is_joker, board_id, now)


def components_of(record: models.UnionFind) -> Components:
    """The components that lie in this record; what is set in them is set there."""
    return Components(
        nodes_parents=record.nodes_parents,
        nodes_ranks=record.nodes_ranks,
        nodes_blue_points=record.nodes_blue_points,
        nodes_red_points=record.nodes_red_points,
        nodes_open_edges=record.nodes_open_edges,
        nodes_contested=record.nodes_contested,
        nodes_types=record.nodes_types,
        potential_city_contests=record.potential_city_contests,
        potential_road_contests=record.potential_road_contests,
    )


def union_find_record(board_id: int, components: Components) -> models.UnionFind:
    return models.UnionFind(
        board_id,
        _listed(components.nodes_parents),
        _listed(components.nodes_ranks),
        _listed(components.nodes_blue_points),
        _listed(components.nodes_red_points),
        _listed(components.nodes_open_edges),
        _listed(components.nodes_contested),
        _listed(components.nodes_types),
        list(components.potential_city_contests),
        list(components.potential_road_contests),
    )


def _listed(array: NodeArray[T]) -> list[T]:
    return [array[node] for node in range(NODES)]
