"""Comparison of two versions of the rules: the same games with the same random numbers under both, so that only the
differences count. The games of a round share their random numbers, so a round is one observation: its value here minus its
value there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import groupby
from math import inf, sqrt

from chain.arena.estimates import Z
from chain.arena.match import Row
from chain.arena.plan import Plan
from chain.arena.store import Store
from chain.foundation.dataclass import dataclass


@dataclass
class PairedDifference:
    """The average of a number here and there, and the difference."""

    what: str
    is_share: bool = True
    rounds: int = 0
    _here: float = 0
    _there: float = 0
    _squares: float = 0  # of the differences

    def add(self, here: float, there: float) -> None:
        self.rounds += 1
        self._here += here
        self._there += there
        self._squares += (here - there) ** 2

    @property
    def here(self) -> float:
        return self._here / self.rounds

    @property
    def there(self) -> float:
        return self._there / self.rounds

    @property
    def value(self) -> float:
        return self.here - self.there

    @property
    def interval(self) -> tuple[float, float]:
        """The interval that contains the true difference in 95 of 100 comparisons. It needs more than one round.

        For shares, half a game is added to each of the four possible pairs of outcomes (Agresti and Min 2005), so that no
        difference seems certain.
        """
        if self.rounds < 2:
            return -inf, inf
        rounds, squares = self.rounds, self._squares
        if self.is_share:
            rounds, squares = rounds + 2, squares + 1
        value = (self._here - self._there) / rounds
        error = Z * sqrt(max(0.0, squares / rounds - value**2) / rounds)
        return value - error, value + error


@dataclass
class Comparison:
    """The differences between the results of two versions of a game."""

    name: str  # of the version that is there
    there: Plan
    games: int = 0
    changed: int = 0  # games with a different outcome
    first_changed: int | None = None
    differences: list[PairedDifference] = field(default_factory=list)


def compare(name: str, here: Store, there: Store) -> Comparison:
    """Compare the games that exist under both versions and failed under neither."""
    tallies = here.kept_tally, there.kept_tally
    plan, until = tallies[0].plan, min(tally.games for tally in tallies)
    comparison = Comparison(name, tallies[1].plan)
    names = [*dict.fromkeys(plan.strategies)]
    seats = range(len(plan.strategies))
    shares = [PairedDifference(f"wins of {name}") for name in names]
    seated = [PairedDifference(f"wins on seat {seat + 1}") for seat in seats]
    plies, gas = (
        PairedDifference("plies", is_share=False),
        PairedDifference("gas of a game", is_share=False),
    )
    for rounds in _rounds(plan, here.rows(until=until), there.rows(until=until)):
        for row, other in rounds:
            comparison.games += 1
            if row.outcome != other.outcome:
                comparison.changed += 1
                if comparison.first_changed is None:
                    comparison.first_changed = row.game
        mine, theirs = ([pair[side] for pair in rounds] for side in (0, 1))
        for strategy, share in zip(names, shares, strict=True):
            share.add(_won(mine, strategy), _won(theirs, strategy))
        for seat, share in zip(seats, seated, strict=True):
            share.add(_won_on(mine, seat), _won_on(theirs, seat))
        plies.add(_mean([row.plies for row in mine]), _mean([row.plies for row in theirs]))
        if not plan.bare:
            gas.add(_mean([row.gas or 0 for row in mine]), _mean([row.gas or 0 for row in theirs]))
    told = [*(shares if len(names) > 1 else ()), *seated, plies, gas]
    comparison.differences = [difference for difference in told if difference.rounds]
    return comparison


def _rounds(plan: Plan, here: Iterator[Row], there: Iterator[Row]) -> Iterator[list[tuple[Row, Row]]]:  # fmt: skip
    """Yield the outcomes of each round's games here and there, if all of them ended."""
    size = len(plan.arrangements)
    for _, games in groupby(zip(here, there, strict=True), lambda pair: pair[0].game // size):
        pairs = list(games)
        if len(pairs) == size and not any(row.failure for pair in pairs for row in pair):
            yield pairs


def _won(rows: Sequence[Row], strategy: str) -> float:
    """Return the share of games won by a strategy, on all seats."""
    wins = 0.0
    for row in rows:
        seats = [seat for seat, name in enumerate(json.loads(row.seats)) if name == strategy]
        wins += sum(_points(row, seat) for seat in seats)
    return wins / len(rows)


def _won_on(rows: Sequence[Row], seat: int) -> float:
    return _mean([_points(row, seat) for row in rows])


def _points(row: Row, seat: int) -> float:
    winners = json.loads(row.winners)
    return 1 / len(winners) if seat in winners else 0.0


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)
