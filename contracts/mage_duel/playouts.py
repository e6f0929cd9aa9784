"""Random duels, by the rules and on a chain: positions to test with, work to measure, games to show."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from chain import Address
from chain.ledger.receipts import Receipt
from chain.simulator.world_handle import WorldHandle
from contracts.mage_duel import models
from contracts.mage_duel.contract import Game
from contracts.mage_duel.ring import draw_sizes, lay_ring
from contracts.mage_duel.rules import legal_moves
from contracts.mage_duel.session import GameStatus
from contracts.mage_duel.state import Move, RuleSet, State
from contracts.mage_duel.turns import MOVE_TIME


def random_ring(chance: Random, rule_set: RuleSet) -> tuple[int, ...]:
    return lay_ring(rule_set, [chance.randrange(size) for size in draw_sizes(rule_set)])


def random_move(chance: Random, state: State) -> tuple[Move, int]:
    """A move, and how long after the last one it comes: nine in ten lay a tile, nine in ten come in time."""
    *placements, skip = legal_moves(state)
    move = chance.choice(placements) if placements and chance.random() < 0.9 else skip
    if state.last_move is None or move.is_joker or chance.random() < 0.9:
        return move, chance.randint(0, MOVE_TIME)
    late = chance.randint(MOVE_TIME + 1, 2 * MOVE_TIME)
    return replace(move, side=move.side.opponent), late


class Duel:
    """Two players before a board in a World."""

    def __init__(self, world: WorldHandle, host: Address, guest: Address) -> None:
        """The host's game if there is one that waits for a guest, else a new one."""
        self.world, self.game = world, world.system(Game)
        self.chain: Any = world.chain
        self.players = (host, guest)
        if world.read(models.Game, host).status != GameStatus.CREATED:
            self.game.create_game(sender=host)
        self.joined: Receipt = self.game.join_game(host, sender=guest)
        board_id = world.read(models.Game, host).board_id
        self.board_id = 0 if board_id is None else board_id

    @property
    def board(self) -> models.Board:
        return self.world.read(models.Board, self.board_id)

    @property
    def state(self) -> State:
        state: State = self.game.state(self.board_id)
        return state

    def make(self, move: Move, **options: Any) -> Receipt:
        """Sends the call that this move is."""
        sender = self.players[move.side]
        if move.tile is None:
            skipped: Receipt = self.game.skip_move(sender=sender, **options)
            return skipped
        joker = move.tile if move.is_joker else None
        at = move.rotation, move.col, move.row
        moved: Receipt = self.game.make_move(joker, *at, sender=sender, **options)
        return moved
