"""What holds in Blokus whoever calls whatever, to be fuzzed: `boardchain fuzz contracts.blokus`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, takewhile

from chain import Address
from chain.fuzz import Fuzz, Proposal, by, invariant, proposes
from contracts.blokus import rules
from contracts.blokus.contract import Blokus
from contracts.blokus.models import GameRecord
from contracts.blokus.pieces import PIECES, SQUARES_OF_ALL
from contracts.blokus.playouts import random_moves
from contracts.blokus.scoring import ALL_PLACED
from contracts.blokus.state import Scoring, Seat, State

_OFFERED = 24  # placements of the one to move, of many


class BlokusFuzz(Fuzz):
    """Two games of two are there from the start: a new one, and one in which somebody is stuck."""

    contracts = (Blokus,)
    callers = 4

    def set_up(self) -> None:
        super().set_up()
        players = self.accounts[:2]
        for game_id in range(2):
            self.handle.create_game(2, sender=players[0])
            self.handle.join(game_id, sender=players[1])
        for move in takewhile(lambda move: not move.is_pass, random_moves(seed=0, players=2)):
            self.handle.make_move(1, move, sender=players[move.player_id - 1])

    @proposes("join")
    def seats(self) -> Iterator[Proposal]:
        for game_id, game in enumerate(self._games()):
            if not game.is_full:
                yield by(self.accounts[game.joined], game_id)

    @proposes("make_move")
    def placements(self) -> Iterator[Proposal]:
        for game_id, state in self._running():
            for move in islice(rules.legal_moves(state), _OFFERED):
                yield by(self._mover(game_id, state), game_id, move)

    @proposes("pass_turn")
    def passes(self) -> Iterator[Proposal]:
        for game_id, state in self._running():
            if not rules.legal_moves(state):
                yield Proposal((game_id,))

    @invariant
    def squares_are_those_of_pieces_gone(self) -> None:
        for state in self._states():
            for seat in state.seats:
                gone = sum(piece.size for i, piece in enumerate(PIECES) if not seat.hand >> i & 1)
                covered = seat.squares.bit_count()
                assert covered == gone, f"{covered} squares covered, {gone} squares left the hand"

    @invariant
    def squares_belong_to_one_player(self) -> None:
        for state in self._states():
            whole = sum(seat.squares.bit_count() for seat in state.seats)
            assert state.occupied.bit_count() == whole, "two players cover one square"

    @invariant
    def scores_tell_what_lies(self) -> None:
        for game_id, state in enumerate(self._states()):
            placed = [_points(seat) for seat in state.seats]
            assert list(self.handle.scores(game_id, Scoring.ORIGINAL)) == placed

    @invariant
    def nobody_moves_once_it_is_over(self) -> None:
        for game_id, state in enumerate(self._states()):
            ended = self.handle.outcome(game_id)
            assert (ended is not None) == all(seat.is_out for seat in state.seats)
            assert (ended is not None) == (state.turn == 0)

    @invariant
    def only_mover_changes(self) -> None:
        """A transaction changes one seat at most, that of whose turn it was."""
        before = self.before
        for game_id in range(before.game_count()):
            was, now = before.state(game_id), self.handle.state(game_id)
            pairs = enumerate(zip(was.seats, now.seats, strict=True), 1)
            changed = [player for player, (old, new) in pairs if old != new]
            assert changed in ([], [was.turn]), f"seats {changed} changed in the turn of {was.turn}"

    def _games(self) -> list[GameRecord]:
        return [self.handle.game(game_id) for game_id in range(self.handle.game_count())]

    def _states(self) -> list[State]:
        return [self.handle.state(each).read() for each in range(self.handle.game_count())]

    def _running(self) -> Iterator[tuple[int, State]]:
        for game_id, game in enumerate(self._games()):
            if game.is_full and game.turn:
                yield game_id, self.handle.state(game_id).read()

    def _mover(self, game_id: int, state: State) -> Address:
        mover: Address = self.handle.players(game_id)[state.turn - 1]
        return mover


def _points(seat: Seat) -> int:
    placed = seat.squares.bit_count()
    return 2 * placed - SQUARES_OF_ALL + (0 if seat.hand else ALL_PLACED)
