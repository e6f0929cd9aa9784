"""Blokus played by strategies: `boardchain play contracts.blokus`."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from chain import Chain
from chain.arena import Game, Greedy, Result, Uniform
from contracts.blokus import rules
from contracts.blokus.board import POSITIONS, indices
from contracts.blokus.contract import Blokus
from contracts.blokus.legal import placement_of
from contracts.blokus.move import Move, pass_of
from contracts.blokus.state import State
from contracts.blokus.strategies import BestScore, Hard, Medium, Original


class _Table:
    """What a table on a chain and one by the rules have in common."""

    state: State

    def turn(self) -> int:
        return self.state.turn - 1

    def moves(self) -> Sequence[Move]:
        """Each placement once; the pass of whoever has none."""
        return tuple(rules.legal_moves(self.state)) or (pass_of(self.state.turn),)

    def result(self) -> Result | None:
        end = rules.outcome(self.state)
        if end is None:
            return None
        return Result(end.ending.name.lower().replace("_", " "), end.scores, end.ranks)

    def text(self) -> str:
        return rules.to_text(self.state)


class RulesTable(_Table):
    def __init__(self, seats: int, chance: Random) -> None:
        self.state = rules.start(seats)

    def make(self, move: Move) -> None:
        self.state = rules.play(self.state, move)


class ChainTable(_Table):
    def __init__(self, chain: Chain, seats: int, chance: Random) -> None:
        self.accounts = chain.accounts[:seats]
        self.contract = chain.deploy(Blokus)
        self.contract.create_game(seats, sender=self.accounts[0])
        for account in self.accounts[1:]:
            self.contract.join(0, sender=account)
        self._look()

    def make(self, move: Move) -> None:
        self.contract.make_move(0, move, sender=self.accounts[self.turn()])
        self._look()

    def _look(self) -> None:
        self.state = self.contract.state(0).read()


def size(state: State, move: Move) -> int:
    """The squares that a move covers."""
    return 0 if move.piece is None else move.piece.size


def covered(state: State, move: Move) -> list[str]:
    """The squares that a move covers, as the picture calls them."""
    placement = placement_of(move)
    squares = () if placement is None else indices(placement.squares)
    return ["{},{}".format(*POSITIONS[index]) for index in squares]


def _thinking(strategy: BestScore) -> Greedy[State, Move]:
    """A strategy that lets chance decide between equals."""
    return Greedy(lambda state, move: 0 if move.is_pass else strategy.score(state, move))


PLAY: Final = Game[State, Move](
    contracts=(Blokus,),
    seats=(2, 3, 4),
    strategies={
        "random": Uniform,
        "greedy": lambda: Greedy(size),
        "medium": lambda: _thinking(Medium()),
        "hard": lambda: _thinking(Hard()),
        "original": lambda: _thinking(Original()),
    },
    on_chain=ChainTable,
    by_rules=RulesTable,
    parts=covered,
)
