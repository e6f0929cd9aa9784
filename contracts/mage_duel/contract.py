"""Mage Duel in a World: the system `Game`, and here how its duels are played.

Every call has four beats: who may, what the rules say, write, tell. Who may not is told so by an event, and nothing changes;
only to lay a tile when there is none is a failure. A move is kept with a link to the one before it, so that everything that
ever stood on a board can be seen again (`views`); how duels come to be is told in `lobby`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from chain import Address, call
from chain.types import felt252, u8
from contracts.mage_duel import models, news, records, rules, trophies
from contracts.mage_duel.events import CurrentPlayerBalance, GameFinished, PlayerNotInGame
from contracts.mage_duel.lobby import Lobby
from contracts.mage_duel.session import GameStatus, Refusal, pay, refusal_to_play
from contracts.mage_duel.state import Ending, Move, PlayerSide, State
from contracts.mage_duel.union_find import Contest


@dataclass(frozen=True, slots=True)
class Turn:
    """A player before a board, about to move."""

    board: models.Board
    state: State
    side: PlayerSide


class Game(Lobby):
    """Any number of duels, of two players each."""

    @call
    def make_move(self, joker_tile: u8 | None, rotation: u8, col: u8, row: u8) -> None:
        """Lays the joker that is named, or else the top tile."""
        turn = self._turn(with_joker=joker_tile is not None)
        if turn is None:
            return
        move = rules.placement(turn.state, turn.side, joker_tile, rotation, col, row)
        if not rules.fits(turn.state, move):
            self.world.emit(news.invalid(turn.board, self.caller, move))
            return
        self._play(turn, move)

    @call
    def skip_move(self) -> None:
        turn = self._turn()
        if turn is not None:
            self._play(turn, Move(turn.side))

    @call
    def finish_game(self, board_id: felt252) -> None:
        """Ends a game in which nobody has moved for too long."""
        if self._game(self.caller).board_id != board_id:
            self._refuse(Refusal.PLAYER_NOT_IN_GAME)
            return
        before = self._board_of_caller()
        if before is None:
            return
        state, now = self._state(before), self.block.timestamp
        if not rules.can_finish(state, now):
            self._refuse(Refusal.CANT_FINISH_GAME, board_id)
            return
        with self.world.in_place(models.UnionFind, board_id) as union_find:
            components = records.components_of(union_find)
            end = rules.finish(state, components, Ending.TIME_RAN_OUT, now)
        board = records.board_after(before, end.state, before.last_move_id)
        self.world.change(before, board)
        self._end(board, end)

    def _turn(self, *, with_joker: bool = False) -> Turn | None:
        """The caller's turn; None if they may not move, and then they were told why."""
        board = self._board_of_caller()
        if board is None:
            return None
        side = records.seat_of(board, self.caller)
        if side is None:
            self.world.emit(PlayerNotInGame(self.caller, board.id))
            return None
        state = self._state(board)
        refusal = rules.refusal(state, side, self.block.timestamp, with_joker=with_joker)
        if refusal is not None:
            self._refuse(refusal, board.id)
            return None
        return Turn(board, state, side)

    def _board_of_caller(self) -> models.Board | None:
        """The board the caller plays on; None if there is none, and then they were told so."""
        game = self._game(self.caller)
        refusal = refusal_to_play(game.status, game.board_id)
        if refusal is not None:
            self._refuse(refusal, game.board_id or 0)
            return None
        return self.world.read(models.Board, game.board_id)

    def _play(self, turn: Turn, move: Move) -> None:
        before, state, now, world = turn.board, turn.state, self.block.timestamp, self.world
        drawn = self._draw(state, move)
        with world.in_place(models.UnionFind, before.id) as union_find:
            components = records.components_of(union_find)
            played = rules.play(state, components, move, now, drawn or 0)
        last_id = before.last_move_id
        if rules.skips_opponent(state, turn.side):
            last_id = self._record(Move(turn.side.opponent), last_id, before.id, now).id
        record = self._record(move, last_id, before.id, now, drawn)
        board = records.board_after(before, played.state, record.id)
        world.change(before, board)

        self._tell_contests(before.id, played.contests)
        if played.finish is not None:
            end_id = record.id if played.finish.state.last_move is move else last_id
            self._end(records.board_after(before, played.finish.state, end_id), played.finish)
        world.emit(news.moved(record, self.caller))
        world.emit(news.updated(board))
        self._report(self.caller, *trophies.tasks_of_move(record))

    def _draw(self, state: State, move: Move) -> int | None:
        """Where in the deck the tile lies that comes up next, if any does."""
        tiles = len(rules.tiles_to_draw(state, move))
        return self.random.below(tiles, tag="draw") if tiles else None

    def _record(
        self, move: Move, prev_id: int | None, board_id: int, now: int, drawn: int | None = None
    ) -> models.Move:
        """Keeps a move, under the next id."""
        move_id = self.move_id_generator
        self.move_id_generator = move_id + 1
        if drawn is not None:
            self.draws[move_id] = drawn
        record = records.move_record(move_id, move, prev_id, board_id, now)
        self.world.write(record)
        return record

    def _end(self, board: models.Board, end: rules.Finish) -> None:
        """Pays both players and tells how the game ended; `board` is as it then stood."""
        players = board.player1[0], board.player2[0]
        totals = rules.totals(end.state.scores, end.state.jokers, self._joker_price())
        self.endings[board.id] = end.state.ending
        balances = [self._pay(*owed) for owed in zip(players, totals, strict=True)]

        for held in end.contests:
            self.world.emit(news.contested(board.id, held))
        for player in players:
            self.world.emit(GameFinished(player, board.id))
        for player, balance in zip(players, balances, strict=True):
            self.world.emit(CurrentPlayerBalance(player, balance))
        self.world.emit(news.updated(board))
        self._report_end(players, rules.leader(totals))

    def _pay(self, player: Address, total: int) -> int:
        """Ends a player's game and pays for it; returns the new balance."""
        game, record = self._game(player), self.world.read(models.Player, player)
        game.status = GameStatus.FINISHED
        record.balance, record.games_played = pay(record.balance, record.games_played, total)
        self.world.write_member(game, "status")
        self.world.write_member(record, "balance", "games_played")
        return record.balance

    def _tell_contests(self, board_id: int, contests: Iterable[Contest]) -> None:
        for held in contests:
            self.world.emit(news.contested(board_id, held))
            self._report(self.caller, *trophies.tasks_of_contest(held))

    def _report_end(self, players: tuple[Address, Address], winner: PlayerSide | None) -> None:
        for player in players:
            self._report(player, trophies.SEASONED)
        if winner is not None:
            self._report(players[winner], trophies.WINNER)

    def _report(self, player: Address, *tasks: str) -> None:
        trophies.report(self.world, player, self.block.timestamp, *tasks)
