"""What anyone may see of the duels: boards, the moves that led to them, and every board as it stood on the way.

A move names the one before it, so a board's history is walked back from its last move. What the links do not tell is kept
beside them: where in the deck a tile lay that came up, when a board began, how it ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from chain import Address, Map, System, require, view
from chain.types import felt252, u8, u16
from contracts.mage_duel import models, records, rules
from contracts.mage_duel.models import GameState
from contracts.mage_duel.records import Start
from contracts.mage_duel.rules import Outcome
from contracts.mage_duel.state import Ending, Move, PlayerSide, Scores, State

RULES_ID: Final = 0  # a World has one set of rules


class Views(System):
    """The looking half of the system `Game`."""

    board_id_generator: felt252
    move_id_generator: felt252
    snapshot_id_generator: felt252
    draws: Map[felt252, u16 | None]  # by move: where in the deck the tile lay that came up after it
    starts: Map[felt252, Start]  # by board
    endings: Map[felt252, Ending | None]  # by board

    @view
    def game(self, player: Address) -> models.Game:
        return self._game(player)

    @view
    def board(self, board_id: felt252) -> models.Board:
        return self._board(board_id)

    @view
    def move(self, move_id: felt252) -> models.Move:
        require(self.world.exists(models.Move, move_id), f"There is no move {move_id}")
        return self.world.read(models.Move, move_id)

    @view
    def move_history(self, board_id: felt252) -> list[models.Move]:
        """The moves that led to a board, the first one first."""
        return [*self._moves_back(self._board(board_id))][::-1]

    @view
    def board_at(self, board_id: felt252, move_number: u8) -> models.Board:
        """A board as it stood after so many moves; after the last one, or more, as it stands."""
        board = self._board(board_id)
        if move_number >= board.moves_done:
            return board
        return records.board_after(board, *self._then(board, move_number))

    @view
    def state(self, board_id: felt252) -> State:
        """A board as the rules see it, to be drawn or searched."""
        return self._state(self._board(board_id))

    @view
    def legal_moves(self, board_id: felt252) -> tuple[Move, ...]:
        """All that may be played there while the clock runs."""
        return rules.legal_moves(self.state(board_id))

    @view
    def score(self, board_id: felt252) -> Scores:
        """Of Blue and of Red the points of their cities and of their roads."""
        return self.state(board_id).scores

    @view
    def outcome(self, board_id: felt252) -> Outcome | None:
        """Why a game is over, who won, and what the two were paid; None while it goes on."""
        return rules.outcome(self.state(board_id), self._joker_price())

    @view
    def winner(self, board_id: felt252) -> PlayerSide | None:
        """Nobody while a game goes on, and in a tie."""
        outcome = self.outcome(board_id)
        return None if outcome is None else outcome.winner

    def _game(self, player: Address) -> models.Game:
        return self.world.read(models.Game, player)

    def _board(self, board_id: int) -> models.Board:
        require(self.world.exists(models.Board, board_id), f"There is no board {board_id}")
        return self.world.read(models.Board, board_id)

    def _state(self, board: models.Board) -> State:
        last_id, is_over = board.last_move_id, board.game_state == GameState.FINISHED
        return records.state_of(
            board,
            None if last_id is None else records.move_of(self.world.read(models.Move, last_id)),
            self.endings[board.id] if is_over else None,
        )

    def _then(self, board: models.Board, move_number: int) -> tuple[State, int | None]:
        """How a board stood before its last moves, and the last move it had had by then."""
        moves = self._moves_since(board, move_number)
        made_on = moves[board.moves_done - move_number - 1].first_board_id
        if made_on != board.id:  # before a snapshot was taken: draws lead back on that board alone
            return self._then(self._board(made_on), move_number)
        draws = [self.draws[move.id] for move in moves]
        state, _ = rules.rewind(
            self._state(board), [records.move_of(move) for move in moves], move_number, draws
        )
        last = None if state.last_move is None else moves[-1]
        state = replace(state, updated_at=self._time_of(board.id, move_number, last))
        return state, None if last is None else last.id

    def _moves_back(self, board: models.Board) -> Iterator[models.Move]:
        """The moves that led to a board, the last one first."""
        move_id = board.last_move_id
        while move_id is not None:
            move = self.world.read(models.Move, move_id)
            yield move
            move_id = move.prev_move_id

    def _moves_since(self, board: models.Board, move_number: int) -> list[models.Move]:
        """The moves from that one on, the last one first."""
        count = board.moves_done - move_number + 1
        return list(islice(self._moves_back(board), count))

    def _time_of(self, board_id: int, move_number: int, last: models.Move | None) -> int:
        """When a board came to stand as it did after so many moves."""
        start = self.starts[board_id]
        if last is None or move_number == start.moves:
            return start.at
        return last.timestamp

    def _joker_price(self) -> int:
        price: int = self.world.read_member(models.Rules, RULES_ID, "joker_price")
        return price
