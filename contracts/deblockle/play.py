"""Deblockle played by strategies: `boardchain play contracts.deblockle`."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from chain import Chain
from chain.arena import Game, Greedy, Result, Uniform, result_of
from contracts.deblockle import rules
from contracts.deblockle.contract import Deblockle
from contracts.deblockle.models import Move, State
from contracts.deblockle.notation import COLUMNS
from contracts.deblockle.strategies import PASS, after, worth

CUBES: Final = 4  # of each player


class _Table:
    """What a table on a chain and one by the rules have in common."""

    state: State

    def turn(self) -> int:
        return self.state.game.active_player - 1

    def moves(self) -> Sequence[Move | None]:
        return (*rules.legal_moves(self.state), PASS)

    def result(self) -> Result | None:
        if rules.outcome(self.state) is None:
            return None
        return result_of("all home", [CUBES - _left(self.state, player) for player in (1, 2)])

    def text(self) -> str:
        return rules.to_text(self.state)


class RulesTable(_Table):
    def __init__(self, seats: int, chance: Random) -> None:
        self.state, _ = rules.set_up(CUBES)

    def make(self, move: Move | None) -> None:
        self.state = after(self.state, move)


class ChainTable(_Table):
    def __init__(self, chain: Chain, seats: int, chance: Random) -> None:
        names = ("first.testnet", "second.testnet")
        self.accounts = [chain.account(name) for name in names]
        self.contract = chain.deploy(Deblockle)
        self.contract.create_game(*names, CUBES)
        self.state, _ = rules.set_up(CUBES)

    def make(self, move: Move | None) -> None:
        mover = self.accounts[self.turn()]
        if move is PASS:
            receipt = self.contract.pass_move(0, sender=mover)
        else:
            (origin, target) = move
            receipt = self.contract.make_move(
                0, origin.x, origin.y, target.x, target.y, sender=mover
            )
        self.state = State(receipt.return_value.game, self.contract.fields.rolled[0])


def target(state: State, move: Move | None) -> tuple[str, ...]:
    """The square that a cube comes to."""
    return () if move is None else (f"{COLUMNS[move.target.x]}{move.target.y}",)


def _left(state: State, player: int) -> int:
    return sum(cube.player == player for cube in state.game.board)


PLAY: Final = Game[State, Move | None](
    contracts=(Deblockle,),
    seats=(2,),
    strategies={"random": Uniform, "greedy": lambda: Greedy(worth, whim=0.1)},
    on_chain=ChainTable,
    by_rules=RulesTable,
    parts=target,
)
