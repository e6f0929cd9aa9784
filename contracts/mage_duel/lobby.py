"""How duels come to be: players open them, join them, call them off, and take up old boards where a snapshot was made.

Who may not is told so by an event, and nothing changes.
"""

from __future__ import annotations

from chain import Address, call, init, require
from chain.types import felt252, u8
from contracts.mage_duel import models, news, records, rules
from contracts.mage_duel.board import SIZE
from contracts.mage_duel.events import (
    BoardCreateFromSnapshotFalied,
    GameCanceled,
    GameCreated,
    GameCreateFailed,
    GameJoinFailed,
    GameStarted,
    SnapshotCreated,
    SnapshotCreateFailed,
)
from contracts.mage_duel.records import Start
from contracts.mage_duel.ring import draw_sizes, lay_ring
from contracts.mage_duel.session import GameStatus, Refusal, may_cancel, may_create, may_join
from contracts.mage_duel.state import Ending, RuleSet
from contracts.mage_duel.tiles import EMPTY
from contracts.mage_duel.union_find import no_components
from contracts.mage_duel.views import RULES_ID, Views


class Lobby(Views):
    """The part of the system `Game` that seats players."""

    @init
    def dojo_init(self, rule_set: RuleSet) -> None:
        require(len(rule_set.deck) == EMPTY, f"A deck has a count for each of the {EMPTY} tiles")
        require(rule_set.cities + rule_set.roads <= SIZE, f"A side of the ring has {SIZE} edges")
        self.world.write(records.rules_record(RULES_ID, rule_set))

    @call
    def create_game(self) -> None:
        status = self._game(self.caller).status
        if not may_create(status):
            self.world.emit(GameCreateFailed(self.caller, status))
            return
        self.world.write(models.Game(self.caller, GameStatus.CREATED, None, None))
        self.world.emit(GameCreated(self.caller, GameStatus.CREATED))

    @call
    def join_game(self, host_player: Address) -> None:
        host, guest = self._game(host_player), self._game(self.caller)
        if not may_join(host.status, guest.status):
            self.world.emit(GameJoinFailed(host_player, self.caller, host.status, guest.status))
            return
        is_new = host.board_id is None
        board = self._open_board(host_player) if is_new else self._sit_down(host.board_id)
        self.starts[board.id] = Start(board.moves_done, board.last_update_timestamp)
        for player in (host_player, self.caller):
            game = models.Game(player, GameStatus.IN_PROGRESS, board.id, host.snapshot_id)
            self.world.write(game)
        self.world.emit(GameStarted(host_player, self.caller, board.id))

    @call
    def cancel_game(self) -> None:
        game, canceled = self._game(self.caller), [self.caller]
        if not may_cancel(game.status, game.board_id):
            self._refuse(Refusal.PLAYER_NOT_IN_GAME)
            return
        if game.status == GameStatus.IN_PROGRESS and game.board_id is not None:
            canceled.insert(0, self._cancel_board(game.board_id))
        for player in canceled:
            self.world.write(models.Game(player, GameStatus.CANCELED, None, None))
            self.world.emit(GameCanceled(player, GameStatus.CANCELED))

    @call
    def create_snapshot(self, board_id: felt252, move_number: u8) -> None:
        """Remembers a board as it stood after so many moves, for anyone to play on from there."""
        board = self.world.read(models.Board, board_id)
        is_there = self.world.exists(models.Board, board_id)
        if not is_there or move_number > board.moves_done:
            self.world.emit(
                SnapshotCreateFailed(self.caller, board_id, board.game_state, move_number)
            )
            return
        snapshot_id = self.snapshot_id_generator
        self.snapshot_id_generator = snapshot_id + 1
        self.world.write(models.Snapshot(snapshot_id, self.caller, board_id, move_number))
        self.world.emit(SnapshotCreated(snapshot_id, self.caller, board_id, move_number))

    @call
    def create_game_from_snapshot(self, snapshot_id: felt252) -> None:
        status = self._game(self.caller).status
        if not may_create(status):
            self.world.emit(GameCreateFailed(self.caller, status))
            return
        snapshot = self.world.read(models.Snapshot, snapshot_id)
        if not self.world.exists(models.Snapshot, snapshot_id):
            self._tell_no_way_back(snapshot)
            return
        board_id = self._restore(snapshot)
        self.world.write(models.Game(self.caller, GameStatus.CREATED, board_id, snapshot_id))
        self.world.emit(GameCreated(self.caller, GameStatus.CREATED))

    def _open_board(self, host: Address) -> models.Board:
        rule_set = records.rule_set_of(self.world.read(models.Rules, RULES_ID))
        tiles = sum(rule_set.deck)
        drawn = self.random.below(tiles, tag="draw") if tiles else 0
        slots = [self.random.below(size, tag="edges") for size in draw_sizes(rule_set)]
        state = rules.start(lay_ring(rule_set, slots), drawn, self.block.timestamp, rule_set)
        board = records.new_board(self._new_board_id(), host, self.caller, state)
        self.world.write(board, records.union_find_record(board.id, no_components()))
        self.world.emit(news.created(board))
        return board

    def _sit_down(self, board_id: int | None) -> models.Board:
        """Gives the caller the second seat at a board that was restored."""
        board = self.world.read(models.Board, board_id)
        _, side, jokers = board.player2
        board.player2 = (self.caller, side, jokers)
        board.last_update_timestamp = self.block.timestamp
        self.world.write_member(board, "player2", "last_update_timestamp")
        return board

    def _cancel_board(self, board_id: int) -> Address:
        """Ends the game there with nothing contested and nobody paid; returns the caller's opponent."""
        board = self.world.read(models.Board, board_id)
        board.game_state = models.GameState.FINISHED
        self.world.write_member(board, "game_state")
        self.endings[board_id] = Ending.CANCELED
        players = (board.player1[0], board.player2[0])
        return players[0] if self.caller == players[1] else players[1]

    def _restore(self, snapshot: models.Snapshot) -> int:
        """Makes a new board as it stood when the snapshot was taken, with the caller on both seats."""
        source, number = self.world.read(models.Board, snapshot.board_id), snapshot.move_number
        moves = self._moves_since(source, number)
        if len(moves) < source.moves_done - number:
            self._tell_no_way_back(snapshot)
        state, rebuilt = rules.rewind(self._state(source), [*map(records.move_of, moves)], number)
        board = records.new_board(self._new_board_id(), self.caller, self.caller, state)
        board.last_move_id = None if state.last_move is None else moves[-1].id
        self.world.write(board, records.union_find_record(board.id, rebuilt.components))
        for held in rebuilt.contests:
            self.world.emit(news.contested(board.id, held))
        return board.id

    def _new_board_id(self) -> int:
        board_id = self.board_id_generator
        self.board_id_generator = board_id + 1
        return board_id

    def _refuse(self, refusal: Refusal, board_id: int = 0) -> None:
        self.world.emit(news.refused(refusal, self.caller, board_id))

    def _tell_no_way_back(self, snapshot: models.Snapshot) -> None:
        where = snapshot.board_id, snapshot.move_number
        self.world.emit(BoardCreateFromSnapshotFalied(self.caller, *where))
