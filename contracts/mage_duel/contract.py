"""Mage Duel in a World: the system that seats players, plays their moves, and takes and restores snapshots.

Every call has four beats: who may, what the rules say, write, tell. Who may not is told so by an event, and nothing changes;
only drawing from no tiles at all is a failure. A move is kept with a link to the one before it, beside it the place in the
deck from which its tile came up: that is all it takes to see any board again as it stood.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from chain import Address, Map, System, call, init, require, view
from chain.types import felt252, u8, u16
from contracts.mage_duel import models, news, records, rules, trophies
from contracts.mage_duel.events import (
    BoardCreateFromSnapshotFalied,
    CurrentPlayerBalance,
    GameCanceled,
    GameCreated,
    GameCreateFailed,
    GameFinished,
    GameJoinFailed,
    GameStarted,
    PlayerNotInGame,
    SnapshotCreated,
    SnapshotCreateFailed,
)
from contracts.mage_duel.models import GameState
from contracts.mage_duel.records import Start
from contracts.mage_duel.ring import draw_sizes, lay_ring
from contracts.mage_duel.session import (
    GameStatus,
    Refusal,
    may_cancel,
    may_create,
    may_join,
    pay,
    refusal_to_play,
)
from contracts.mage_duel.state import Ending, Move, PlayerSide, RuleSet, Scores, State
from contracts.mage_duel.union_find import Components, Contest, no_components

RULES_ID = 0  # there is one set of rules in a World


@dataclass(frozen=True, slots=True)
class Turn:
    """A player before a board."""

    board: models.Board
    state: State
    side: PlayerSide


class Game(System):
    """Any number of duels, two players each."""

    board_id_generator: felt252
    move_id_generator: felt252
    snapshot_id_generator: felt252
    draws: Map[felt252, u16 | None]  # by move: where in the deck the tile lay that came up after it
    starts: Map[felt252, Start]  # by board
    endings: Map[felt252, Ending | None]  # by board

    @init
    def dojo_init(self, rule_set: RuleSet) -> None:
        require(len(rule_set.deck) == EMPTY, ...)
        self.world.write(records.rules_record(RULES_ID, rule_set))

    @call
    def create_game(self) -> None:
        status = self._game(self.caller).status
        if not may_create(status):
            self.world.emit(GameCreateFailed(self.caller, status))
            return
        self._seat(self.caller, GameStatus.CREATED)
        self.world.emit(GameCreated(self.caller, GameStatus.CREATED))

    @call
    def join_game(self, host_player: Address) -> None:
        host, guest = self._game(host_player), self._game(self.caller)
        if not may_join(host.status, guest.status):
            self.world.emit(GameJoinFailed(host_player, self.caller, host.status, guest.status))
            return
        if host.board_id is None:
            board_id = self._open_board(host_player)
        else:
            board_id = self._join_board(host.board_id)
        for player in (host_player, self.caller):
            self._seat(player, GameStatus.IN_PROGRESS, board_id, host.snapshot_id)
        self.world.emit(GameStarted(host_player, self.caller, board_id))

    @call
    def cancel_game(self) -> None:
        game, canceled = self._game(self.caller), [self.caller]
        if not may_cancel(game.status, game.board_id):
            self.world.emit(PlayerNotInGame(self.caller, 0))
            return
        if game.status == GameStatus.IN_PROGRESS and game.board_id is not None:
            canceled.insert(0, self._cancel_board(game.board_id))
        for player in canceled:
            self._seat(player, GameStatus.CANCELED)
            self.world.emit(GameCanceled(player, GameStatus.CANCELED))

    @call
    def make_move(self, joker_tile: u8 | None, rotation: u8, col: u8, row: u8) -> None:
        """Lays the top tile, or the joker if one is named."""
        turn = self._turn(with_joker=joker_tile is not None)
        if turn is None:
            return
        move = rules.placement(turn.state, turn.side, joker_tile, rotation, col, row)
        if not rules.fits(turn.state, move):
            self.world.emit(news.invalid(turn.board, self.caller, move))
            return
        self._play(turn, move)
