"""The benchmarks of Mage Duel for scripts/bench.py: one random game, through the contracts and by the bare rules."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from chain import Chain
from contracts.mage_duel import deploy, rules
from contracts.mage_duel.playouts import Duel
from contracts.mage_duel.state import Move, State

if TYPE_CHECKING:
    from bench_runner import BenchmarkParts

GAMES = 5  # a round
BAR = 3  # how many times the time of the bare rules a game may take


class Step(NamedTuple):
    """A move of the game, its time, and the position of the next tile in the deck."""

    move: Move
    now: int
    drawn: int


class Table:
    """A duel before its first move. Each game is undone, so the same one can be played again."""

    def __init__(self) -> None:
        self.chain = Chain()
        self.duel = Duel(deploy(self.chain), *self.chain.accounts[:2])
        self.start: State = self.duel.state

    def random_game(self, seed: int) -> list[Step]:
        """Nine moves in ten lay a tile, if any fits."""
        chance, steps, state = Random(seed), list[Step](), self.start
        with self.chain.anchor():
            while state.ending is None:
                *placements, skip = rules.legal_moves(state)
                lays = placements and chance.random() < 0.9
                move = chance.choice(placements) if lays else skip
                self.duel.make(move)
                drawn = self.duel.game.fields.draws[len(steps)] or 0
                steps.append(Step(move, self.chain.now, drawn))
                state = self.duel.state
        return steps

    def play(self, steps: list[Step], *, asking: bool = False) -> None:
        """`asking` the contract before each move for all that are legal."""
        with self.chain.anchor():
            for step in steps:
                if asking:
                    self.duel.game.legal_moves(self.duel.board_id)
                self.duel.make(step.move)


def think(state: State, steps: list[Step], *, asking: bool = False) -> State:
    """The same game by the bare rules, with every question the contract asks."""
    components = rules.no_components()
    for move, now, drawn in steps:
        if asking:
            rules.legal_moves(state)
        if rules.refusal(state, move.side, now, with_joker=move.is_joker) is not None:
            raise ValueError(f"{move} is refused")
        if move.tile is not None:
            joker = move.tile if move.is_joker else None
            move = rules.placement(state, move.side, joker, move.rotation, move.col, move.row)
            if not rules.fits(state, move):
                raise ValueError(f"{move} does not fit")
        state = rules.play(state, components, move, now, drawn).state
    return state


def benchmarks() -> list[BenchmarkParts]:
    table = Table()
    steps = table.random_game(seed=1)

    def through_contracts(n: int) -> None:
        for _ in range(n // len(steps)):
            table.play(steps)

    def by_rules(n: int) -> None:
        for _ in range(n // len(steps)):
            think(table.start, steps)

    return [
        ("Mage Duel contracts", through_contracts, GAMES * len(steps), 24),
        ("Mage Duel bare rules", by_rules, GAMES * len(steps), 0),
    ]


def show_bars() -> None:
    """Show how much longer a random game takes through the contracts: each move is chosen among the legal ones, then made."""
    table = Table()
    steps = table.random_game(seed=1)
    made = best(lambda: table.play(steps)) / len(steps)
    told = best(lambda: think(table.start, steps)) / len(steps)
    through = best(lambda: table.play(steps, asking=True)) / len(steps)
    bare = best(lambda: think(table.start, steps, asking=True)) / len(steps)
    verdict = "met" if through / bare <= BAR else "MISSED"
    print(f"\nMage Duel, a random game of {len(steps)} moves, microseconds a move")
    print(
        f"  by the rules {bare * 1e6:.0f}, through the contracts {through * 1e6:.0f}: "
        f"{through / bare:.1f}x (bar {BAR}x: {verdict})"
    )
    print(
        f"  of these to make a move that is known {told * 1e6:.0f} and {made * 1e6:.0f}, the rest to list the legal ones"
    )


def best(work: Callable[[], object], rounds: int = 10) -> float:
    found = []
    for _ in range(rounds):
        gc.collect()
        begin = time.process_time()
        work()
        found.append(time.process_time() - begin)
    return min(found)


if __name__ == "__main__":
    show_bars()
