"""What holds in Mage Duel whoever calls whatever, to be fuzzed: `boardchain fuzz contracts.mage_duel`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Final

from chain import Address
from chain.fuzz import Fuzz, Proposal, by, invariant, proposes
from contracts.mage_duel import models
from contracts.mage_duel.contract import Game
from contracts.mage_duel.oracle import slow_scores
from contracts.mage_duel.profile import PlayerProfile
from contracts.mage_duel.rules import MOVE_TIME
from contracts.mage_duel.session import GameStatus
from contracts.mage_duel.state import EMPTY_CELL, Ending, Move, RuleSet, State
from contracts.mage_duel.tiles import EMPTY
from contracts.mage_duel.world import deploy

SMALL: Final = RuleSet(deck=(1,) * 8 + (0,) * (EMPTY - 8), joker_number=1)  # soon at its end
_OFFERED: Final = 6  # placements of the top tile, and as many of jokers, of many


class MageDuelFuzz(Fuzz):
    """Two are at a duel of few tiles from the start. The World belongs to nobody who calls."""

    excluded = ("dojo_init",)

    def set_up(self) -> None:
        self.world = deploy(self.chain, SMALL, sender=self.chain.account("owner"))
        self.include(self.world.system(Game), self.world.system(PlayerProfile))
        host, guest = self.accounts[:2]
        self.handle.create_game(sender=host)
        self.handle.join_game(host, sender=guest)

    @proposes("make_move")
    def placements(self) -> Iterator[Proposal]:
        for board in self._boards():
            moves = self.handle.legal_moves(board.id)
            for is_joker in (False, True):
                laid = (move for move in moves if move.tile is not None and move.is_joker == is_joker)  # fmt: skip
                yield from (_by_mover(board, move) for move in islice(laid, _OFFERED))

    @proposes("skip_move")
    def skips(self) -> Iterator[Proposal]:
        for board in self._boards():
            yield from (by(player) for player, _, _ in (board.player1, board.player2))

    @proposes("finish_game")
    def ends(self) -> Iterator[Proposal]:
        for board in self._boards():
            yield by(board.player1[0], board.id)

    @proposes("join_game")
    def hosts(self) -> Iterator[Proposal]:
        waiting = [game.player for game in self._games() if game.status == GameStatus.CREATED]
        yield from (by(who, host) for host in waiting for who in self.accounts if who != host)

    @proposes("create_snapshot")
    def moments(self) -> Iterator[Proposal]:
        for board in self._boards(running=False):
            yield from (Proposal((board.id, number)) for number in range(board.moves_done + 1))

    @proposes("create_game_from_snapshot")
    def snapshots(self) -> Iterator[Proposal]:
        for snapshot in self.world.all(models.Snapshot):
            yield Proposal((snapshot.snapshot_id,))

    @invariant
    def scores_are_those_from_scratch(self) -> None:
        for state in self._states():
            over = state.ending not in (None, Ending.CANCELED)
            assert state.scores == slow_scores(state.cells, state.ring, over=over)

    @invariant
    def no_tile_is_lost(self) -> None:
        """Those of the deck lie on the board, on top or in the deck; what else lies there were jokers."""
        for board in self._boards(running=False):
            moves = self.handle.move_history(board.id)
            jokers = Counter(move.tile for move in moves if move.is_joker)
            laid = Counter(cell[0] for cell in board.state if cell != EMPTY_CELL) - jokers
            left = Counter([*board.available_tiles_in_deck, *_some(board.top_tile)])
            assert laid + left == Counter({i: n for i, n in enumerate(SMALL.deck) if n})

    @invariant
    def jokers_are_left_or_were_laid(self) -> None:
        for board in self._boards(running=False):
            moves = self.handle.move_history(board.id)
            for _, side, left in (board.player1, board.player2):
                laid = sum(move.is_joker and move.player_side == side for move in moves)
                assert left + laid == SMALL.joker_number, f"{side!r} laid {laid} and has {left}"

    @invariant
    def sides_alternate_in_time(self) -> None:
        for board in self._boards(running=False):
            moves = self.handle.move_history(board.id)
            assert len(moves) == board.moves_done
            for one, other in pairwise(moves):
                assert one.player_side != other.player_side, "one side moved twice"
                if one.first_board_id == other.first_board_id:
                    assert 0 <= other.timestamp - one.timestamp <= 2 * MOVE_TIME

    @invariant
    def players_sit_where_they_play(self) -> None:
        for game in self._games():
            if game.status == GameStatus.IN_PROGRESS:
                board = self.world.read(models.Board, game.board_id)
                assert game.player in (board.player1[0], board.player2[0])
                assert board.game_state == models.GameState.IN_PROGRESS
                assert board.player1[0] != board.player2[0], "somebody plays alone"

    @invariant
    def only_an_end_pays(self) -> None:
        past, owed = self.past.world(self.world), Counter[Address]()
        for board in past.all(models.Board):
            outcome = self.handle.outcome(board.id)
            if board.game_state == models.GameState.IN_PROGRESS and outcome is not None:
                players = board.player1[0], board.player2[0]
                owed.update(dict(zip(players, outcome.totals, strict=True)))
        for account in self.accounts:
            was, now = (world.read(models.Player, account).balance for world in (past, self.world))
            assert now - was == owed[account], f"{now - was} was paid, {owed[account]} was owed"

    def _games(self) -> list[models.Game]:
        return self.world.all(models.Game)

    def _boards(self, *, running: bool = True) -> list[models.Board]:
        """Those that are played on, or all."""
        boards = self.world.all(models.Board)
        return [each for each in boards if not running or each.game_state == models.GameState.IN_PROGRESS]  # fmt: skip

    def _states(self) -> Iterator[State]:
        for board in self._boards(running=False):
            yield self.handle.state(board.id)


def _by_mover(board: models.Board, move: Move) -> Proposal:
    player = (board.player1, board.player2)[move.side][0]
    joker = move.tile if move.is_joker else None
    return by(player, joker, move.rotation, move.col, move.row)


def _some(tile: int | None) -> tuple[int, ...]:
    return () if tile is None else (tile,)
