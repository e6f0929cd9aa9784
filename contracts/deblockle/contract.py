"""Deblockle on the chain: a list of games that only grows, and for each of them two accounts that take turns.

As in the original, the contract speaks in text logs, and a move against the rules is an answer, not a failure. Every call
has four beats: who may, what the rules say, write, tell.
"""

from __future__ import annotations

from chain import Contract, Map, Revert, Vector, call, init, require, view
from chain.types import i8, u64
from contracts.deblockle import events, rules
from contracts.deblockle.models import Cube, GameRecord, Phase, Position, State


class Deblockle(Contract):
    """Games between any two accounts, named ones by name, others by address."""

    games: Vector[GameRecord]
    rolled: Map[u64, Position | None]  # by game, the cube that may hop

    @init
    def new(self) -> None:
        """Nothing is to be set up: there are no games yet."""

    @call
    def create_game(
        self, first_player: str, second_player: str, num_cubes: u64 | None = None
    ) -> u64:
        state, report = rules.set_up(num_cubes)
        players = self.account_id(first_player), self.account_id(second_player)
        self.games.append(GameRecord(state.game, False, *players))
        self.log(report)
        return len(self.games) - 1

    @call
    def make_move(self, index: u64, from_x: i8, from_y: i8, to_x: i8, to_y: i8) -> GameRecord:
        record, before = self._turn_of_caller(index)
        after, report = rules.make_move(before, rules.read_move(from_x, from_y, to_x, to_y))
        record = self._write(index, record, before, after)
        self.log(report)
        self.log(rules.draw(after))
        return record

    @call
    def pass_move(self, index: u64) -> GameRecord:
        record, before = self._turn_of_caller(index)
        after, report = rules.pass_turn(before)
        record = self._write(index, record, before, after)
        self.log(report)
        return record

    @view
    def game_state(self, index: u64) -> GameRecord | None:
        if index >= len(self.games):
            return None
        record = self.games[index]
        self.log(events.BOARD)
        self.log(rules.draw(State(record.game)))
        return record

    @view
    def cube_state(self, index: u64, x: i8, y: i8) -> Cube | None:
        cube, shown = rules.show_cube(self._game(index).game, x, y)
        self.log(shown)
        return cube

    def _game(self, index: int) -> GameRecord:
        try:
            return self.games[index]
        except IndexError:
            raise Revert("Game doesn't exist.") from None

    def _turn_of_caller(self, index: int) -> tuple[GameRecord, State]:
        record = self._game(index)
        player = (record.first_player, record.second_player)[record.game.active_player - 1]
        require(player == self.caller_id, "Wrong player's turn! ")
        rolled = self.rolled[index] if record.game.phase is Phase.HOP else None
        return record, State(record.game, rolled)

    def _write(self, index: int, record: GameRecord, before: State, after: State) -> GameRecord:
        if after is before:
            return record
        is_finished = after.game.phase is Phase.END
        changed = GameRecord(after.game, is_finished, record.first_player, record.second_player)
        if after.rolled is not before.rolled:
            self.rolled[index] = after.rolled
        self.games[index] = changed
        return changed
