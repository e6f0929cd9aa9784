"""What became of a call, put into the event that tells it."""

from __future__ import annotations

from typing import TypeAlias

from chain import Address
from contracts.mage_duel import models
from contracts.mage_duel.events import (
    BoardCreated,
    BoardUpdated,
    CantFinishGame,
    CityContestDraw,
    CityContestWon,
    GameIsAlreadyFinished,
    InvalidMove,
    Moved,
    NotEnoughJokers,
    NotYourTurn,
    PlayerNotInGame,
    RoadContestDraw,
    RoadContestWon,
    Skiped,
)
from contracts.mage_duel.session import Refusal
from contracts.mage_duel.state import Move
from contracts.mage_duel.tiles import Edge
from contracts.mage_duel.union_find import Contest

Contested: TypeAlias = CityContestWon | CityContestDraw | RoadContestWon | RoadContestDraw
Refused: TypeAlias = (
    PlayerNotInGame | GameIsAlreadyFinished | NotYourTurn | NotEnoughJokers | CantFinishGame
)


def created(board: models.Board) -> BoardCreated:
    return BoardCreated(
        board.id,
        board.initial_edge_state,
        board.top_tile,
        board.state,
        board.player1,
        board.player2,
        board.blue_score,
        board.red_score,
        board.last_move_id,
        board.game_state,
    )


def updated(board: models.Board) -> BoardUpdated:
    return BoardUpdated(
        board.id,
        board.available_tiles_in_deck,
        board.top_tile,
        board.state,
        board.player1,
        board.player2,
        board.blue_score,
        board.red_score,
        board.last_move_id,
        board.moves_done,
        board.game_state,
    )


def moved(move: models.Move, player: Address) -> Moved | Skiped:
    if move.tile is None:
        return Skiped(move.id, player, move.prev_move_id, move.first_board_id, move.timestamp)
    return Moved(
        move.id,
        player,
        move.prev_move_id,
        move.tile,
        move.rotation,
        move.col,
        move.row,
        move.is_joker,
        move.first_board_id,
        move.timestamp,
    )


def invalid(board: models.Board, player: Address, move: Move) -> InvalidMove:
    where = move.rotation, move.col, move.row
    return InvalidMove(player, board.last_move_id, move.tile, *where, move.is_joker, board.id)


def contested(board_id: int, held: Contest) -> Contested:
    is_city, place = held.kind == Edge.CITY, (board_id, held.root)
    if held.winner is None:
        draw = CityContestDraw if is_city else RoadContestDraw
        return draw(*place, held.red_points, held.blue_points)
    won = CityContestWon if is_city else RoadContestWon
    return won(*place, held.winner, held.red_points, held.blue_points)


def refused(refusal: Refusal, player: Address, board_id: int) -> Refused:
    """Why a player may not; who is in no game is told so of board 0."""
    match refusal:
        case Refusal.PLAYER_NOT_IN_GAME:
            return PlayerNotInGame(player, 0)
        case Refusal.GAME_IS_ALREADY_FINISHED:
            return GameIsAlreadyFinished(player, board_id)
        case Refusal.NOT_YOUR_TURN:
            return NotYourTurn(player, board_id)
        case Refusal.NOT_ENOUGH_JOKERS:
            return NotEnoughJokers(player, board_id)
        case Refusal.CANT_FINISH_GAME:
            return CantFinishGame(player, board_id)
