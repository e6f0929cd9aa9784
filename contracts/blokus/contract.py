"""Blokus on the chain: tables for two to four accounts, each with one colour.

Whoever creates a game is player 1, those who join are the next ones, and with the last of them it
begins. Every move is for the rules to decide; the contract asks who may, has it played, writes the
seat of the one who moved and whose turn it is, and tells. Who is stuck passes, or anyone says so.
"""

from __future__ import annotations

from itertools import islice
from typing import Final

from chain import Address, Contract, Map, Revert, call, require, view
from chain.types import i8, u8, u32, u64
from contracts.blokus import rules
from contracts.blokus.board import SIDE, square
from contracts.blokus.events import GameCreated, GameFinished, PiecePlaced, PlayerJoined, TurnPassed
from contracts.blokus.models import GameRecord, LegalCount, SeatRecord, StateRecord
from contracts.blokus.move import Move, MoveRecord, pass_of
from contracts.blokus.pieces import pieces_in
from contracts.blokus.rules import LegalMoves, Outcome
from contracts.blokus.state import PLAYER_NOT_FOUND, Scoring, Seat, State

GAME_NOT_FOUND: Final = "Game not found"
GAME_IS_FULL: Final = "Game is full"
ALREADY_JOINED: Final = "You already play in this game"
STILL_WAITING: Final = "The game is still waiting for players"


class Blokus(Contract):
    """Any number of games; a player's id is the number of the seat."""

    created: u64
    games: Map[u64, GameRecord]
    seats: Map[tuple[u64, u8], SeatRecord]  # by game and player
    accounts: Map[tuple[u64, u8], Address]

    @call
    def create_game(self, players: u8, scoring: Scoring = Scoring.ORIGINAL) -> u64:
        state = rules.start(players, scoring)
        game_id = self.created
        self.created = game_id + 1
        self.emit(GameCreated(game_id, players, scoring))
        self._seat_caller(game_id, GameRecord(players, 1, scoring, state.turn))
        return game_id

    @call
    def join(self, game_id: u64) -> u8:
        game = self._game(game_id)
        require(not game.is_full, GAME_IS_FULL)
        require(self.caller not in self._accounts(game_id, game), ALREADY_JOINED)
        game = GameRecord(game.players, game.joined + 1, game.scoring, game.turn)
        self._seat_caller(game_id, game)
        return game.joined

    @call
    def make_move(self, game_id: u64, move: MoveRecord) -> u8:
        """Returns whose turn it is now, 0 when the game is over; so does `pass_turn`."""
        game, meant = self._running(game_id), move.read()
        require(meant.player_id <= game.players, PLAYER_NOT_FOUND)
        if self.accounts[game_id, meant.player_id] != self.caller:
            raise Revert(f"You are not player {meant.player_id}")
        return self._play(game_id, game, meant)

    @call
    def pass_turn(self, game_id: u64) -> u8:
        """Anyone may pass for the player to move, who must be stuck."""
        game = self._running(game_id)
        return self._play(game_id, game, pass_of(game.turn))

    @view
    def game_count(self) -> u64:
        return self.created

    @view
    def game(self, game_id: u64) -> GameRecord:
        return self._game(game_id)

    @view
    def players(self, game_id: u64) -> tuple[Address, ...]:
        """The accounts of players 1, 2, …, as far as they have joined."""
        return self._accounts(game_id, self._game(game_id))

    @view
    def state(self, game_id: u64) -> StateRecord:
        return StateRecord.of(self._state(game_id))

    @view
    def board(self, game_id: u64) -> tuple[tuple[u8, ...], ...]:
        """By row and column the player who covers a square, or 0."""
        seats = self._state(game_id).seats
        return tuple(
            tuple(_player_at(seats, row, col) for col in range(SIDE)) for row in range(SIDE)
        )

    @view
    def inventory(self, game_id: u64, player_id: u8) -> tuple[str, ...]:
        """The names of the pieces that a player still has."""
        hand = self._state(game_id).seat(player_id).hand
        return tuple(piece.name for piece in pieces_in(hand))

    @view
    def legal_moves(
        self, game_id: u64, player_id: u8, start: u32 = 0, limit: u32 = 100
    ) -> tuple[MoveRecord, ...]:
        """A page of a player's placements, each once, in the order of the rules."""
        return tuple(islice(self._legal(game_id, player_id), start, start + limit))

    @view
    def legal_count(self, game_id: u64, player_id: u8) -> LegalCount:
        legal = self._legal(game_id, player_id)
        return LegalCount(len(legal), legal.count_moves())

    @view
    def whose_turn(self, game_id: u64) -> u8:
        """A player's id; 0 while players are missing and when the game is over."""
        game = self._game(game_id)
        return game.turn if game.is_full else 0

    @view
    def scores(self, game_id: u64, scoring: Scoring | None = None) -> tuple[i8, ...]:
        """How the players stand, as the game counts unless another way is named."""
        return rules.scores(self._state(game_id), scoring)

    @view
    def outcome(self, game_id: u64) -> Outcome | None:
        """How the game ended; None while it goes on."""
        return rules.outcome(self._state(game_id))

    def _game(self, game_id: int) -> GameRecord:
        found = self.games[game_id]
        require(found.players, GAME_NOT_FOUND)
        return found

    def _running(self, game_id: int) -> GameRecord:
        game = self._game(game_id)
        require(game.is_full, STILL_WAITING)
        require(game.turn, rules.GAME_OVER)
        return game

    def _accounts(self, game_id: int, game: GameRecord) -> tuple[Address, ...]:
        return tuple([self.accounts[game_id, player] for player in range(1, game.joined + 1)])

    def _state(self, game_id: int) -> State:
        return self._position(game_id, self._game(game_id))

    def _position(self, game_id: int, game: GameRecord) -> State:
        records = self.seats
        seats = [records[game_id, player].read() for player in range(1, game.players + 1)]
        return State(tuple(seats), game.turn, game.scoring)

    def _legal(self, game_id: int, player_id: int) -> LegalMoves:
        state = self._state(game_id)
        require(0 < player_id <= len(state.seats), PLAYER_NOT_FOUND)
        return rules.legal_moves(state, player_id)

    def _seat_caller(self, game_id: int, game: GameRecord) -> None:
        self.games[game_id] = game
        self.accounts[game_id, game.joined] = self.caller
        missing = game.players - game.joined
        self.emit(PlayerJoined(game_id, game.joined, self.caller, missing))

    def _play(self, game_id: int, game: GameRecord, move: Move) -> int:
        after = rules.play(self._position(game_id, game), move)
        self.seats[game_id, game.turn] = SeatRecord.of(after.seats[game.turn - 1])
        self.games[game_id] = GameRecord(game.players, game.joined, game.scoring, after.turn)
        self._tell(game_id, move, after)
        return after.turn

    def _tell(self, game_id: int, move: Move, after: State) -> None:
        player, piece, position = move.player_id, move.piece, move.position
        if piece is None or position is None:
            self.emit(TurnPassed(game_id, player, self.caller, after.turn))
        else:
            self.emit(
                PiecePlaced(
                    game_id, player, piece.name, *position, move.rotation, move.flip, after.turn
                )
            )
        ended = rules.outcome(after)
        if ended:
            self.emit(GameFinished(game_id, ended.ending, ended.winners, ended.scores, ended.ranks))


def _player_at(seats: tuple[Seat, ...], row: int, col: int) -> int:
    here = square(row, col)
    return next((player for player, seat in enumerate(seats, 1) if seat.squares & here), 0)
