"""The count of a campaign's games in the order of their numbers, whatever the order in which they come in."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field

from chain.arena.estimates import Pairs, Sprt, wilson
from chain.arena.match import Row
from chain.arena.plan import Plan


@dataclass(frozen=True)
class Share:
    """What a strategy won: of all its games, or of those on one seat. A win that is shared counts as a part of one."""

    strategy: str
    seat: int | None
    games: int
    wins: float

    @property
    def share(self) -> float:
        return self.wins / self.games if self.games else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.wins, self.games)


@dataclass
class Tally:
    """The games from number 0 on, without a gap; those that came in too early wait."""

    plan: Plan
    sprt: Sprt | None = None
    games: int = 0
    failures: int = 0
    plies: int = 0
    pairs: Pairs = field(default_factory=Pairs)
    accepted: float | None = None  # the Elo that the sequential test has decided for
    _waiting: dict[int, Row] = field(default_factory=dict)
    _played: Counter[tuple[str, int]] = field(default_factory=Counter)
    _wins: dict[tuple[str, int], float] = field(default_factory=dict)
    _first_half: float | None = None  # of a pair: what the first strategy got in its first game

    @property
    def is_decided(self) -> bool:
        return self.accepted is not None

    def add(self, row: Row) -> None:
        self._waiting[row.game] = row
        while not self.is_decided and self.games in self._waiting:
            self._count(self._waiting.pop(self.games))

    def shares(self) -> list[Share]:
        """Return the share of each strategy, then of each on each seat; who won most comes first."""
        names = dict.fromkeys(self.plan.strategies)
        seats: list[int | None] = [None, *range(len(self.plan.strategies))]
        shares = [self._share(name, seat) for name in names for seat in seats]
        known = [share for share in shares if share.games]
        return sorted(known, key=lambda share: (share.seat is not None, -share.share))

    def _share(self, name: str, seat: int | None) -> Share:
        keys = [key for key in self._played if key[0] == name and seat in (None, key[1])]
        wins = sum(self._wins.get(key, 0) for key in keys)
        return Share(name, seat, sum(self._played[key] for key in keys), wins)

    def _count(self, row: Row) -> None:
        self.games += 1
        self.plies += row.plies
        if row.failure is not None:
            self.failures += 1
        seats, winners = self.plan.seats(row.game), json.loads(row.winners)
        points = {seat: 1 / len(winners) for seat in winners}
        if row.failure is None:
            for seat, name in enumerate(seats):
                self._played[name, seat] += 1
                self._wins[name, seat] = self._wins.get((name, seat), 0) + points.get(seat, 0)
        if self.plan.is_duel:
            mine = points.get(seats.index(self.plan.strategies[0]), 0)
            self._count_half(row.game, None if row.failure else mine)

    def _count_half(self, number: int, points: float | None) -> None:
        """Count a pair with its second game, if none of the two failed."""
        if number % 2 == 0:
            self._first_half = points
        elif points is not None and self._first_half is not None:
            self.pairs = self.pairs.and_one(self._first_half + points)
            if self.sprt is not None:
                self.accepted = self.sprt.accepted(self.pairs)
