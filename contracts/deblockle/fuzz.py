"""What holds in Deblockle whoever calls whatever, to be fuzzed: `boardchain fuzz contracts.deblockle`."""

from __future__ import annotations

from collections.abc import Iterator

from chain.fuzz import Fuzz, Proposal, by, invariant, proposes
from contracts.deblockle import rules
from contracts.deblockle.board import SQUARES, WIN_SQUARES
from contracts.deblockle.contract import Deblockle
from contracts.deblockle.models import Game, GameRecord, Move, Phase, Position, State, opponent


class DeblockleFuzz(Fuzz):
    """Games of one and of four cubes a player are there from the start."""

    contracts = (Deblockle,)
    callers = ("first.testnet", "second.testnet", "stranger.testnet")

    def set_up(self) -> None:
        super().set_up()
        for cubes in (1, 4):
            self.handle.create_game("first.testnet", "second.testnet", cubes)

    @proposes("make_move")
    def legal_moves(self) -> Iterator[Proposal]:
        for index, record in enumerate(self._records()):
            yield from (self._by_mover(index, record, move) for move in self._legal(index, record))

    @proposes("make_move")
    def ways_home(self) -> Iterator[Proposal]:
        """The move of each game that ends nearest to the square where the cube may score."""
        for index, record in enumerate(self._records()):
            home = WIN_SQUARES[record.game.active_player]
            moves = self._legal(index, record)
            if moves:
                yield self._by_mover(
                    index, record, min(moves, key=lambda m: _distance(m.target, home))
                )

    @proposes("pass_move")
    def passes(self) -> Iterator[Proposal]:
        for index, record in enumerate(self._records()):
            yield by(self.accounts[record.game.active_player - 1], index)

    @invariant
    def squares_hold_one_cube(self) -> None:
        for record in self._records():
            taken = [cube.position for cube in record.game.board]
            assert len(set(taken)) == len(taken), f"two cubes on one of {taken}"
            assert set(taken) <= set(SQUARES), f"a cube beside the board: {taken}"

    @invariant
    def foreign_win_squares_stay_free(self) -> None:
        for record in self._records():
            for cube in record.game.board:
                assert cube.position != WIN_SQUARES[opponent(cube.player)], (
                    f"{cube} won for the other"
                )

    @invariant
    def cubes_leave_by_scoring(self) -> None:
        """One at a time, of the player who rolled, and the report says so."""
        before = self.before.fields.games
        for was, record in zip(before, self._records(), strict=False):
            gone = len(was.game.board) - len(record.game.board)
            assert gone in (0, 1), f"{gone} cubes left at once"
            if gone:
                mover = was.game.active_player
                assert _count(was.game, mover) == _count(record.game, mover) + 1, (
                    "the wrong cube left"
                )
                told = str(self.chain.receipts[-1].logs[0])
                assert f"Player {mover} scores" in told, (
                    f"a cube left, and what was told is: {told}"
                )

    @invariant
    def finished_means_no_cube_left(self) -> None:
        for record in self._records():
            without = [player for player in (1, 2) if not _count(record.game, player)]
            assert record.is_finished == bool(without), (
                f"finished: {record.is_finished}, {without} have no cube"
            )
            assert record.is_finished == (record.game.phase is Phase.END)

    @invariant
    def rolled_cube_is_known_while_it_may_hop(self) -> None:
        for index, record in enumerate(self._records()):
            rolled = self.handle.fields.rolled[index]
            assert (rolled is not None) == (record.game.phase is Phase.HOP)

    def _legal(self, index: int, record: GameRecord) -> tuple[Move, ...]:
        return rules.legal_moves(State(record.game, self.handle.fields.rolled[index]))

    def _by_mover(self, index: int, record: GameRecord, move: Move) -> Proposal:
        origin, target = move
        mover = self.accounts[record.game.active_player - 1]
        return by(mover, index, origin.x, origin.y, target.x, target.y)

    def _records(self) -> list[GameRecord]:
        return list(self.handle.fields.games)


def _count(game: Game, player: int) -> int:
    return sum(cube.player == player for cube in game.board)


def _distance(one: Position, other: Position) -> int:
    return abs(one.x - other.x) + abs(one.y - other.y)
