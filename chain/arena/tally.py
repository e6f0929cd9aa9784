"""The tally of a campaign's games, in the order of their numbers.

It is all that a report needs, and small for any number of games. It is stored with the rows, so a resumed campaign need not
read them.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import asdict, field
from functools import lru_cache
from hashlib import sha256
from typing import Any, Self

from chain.arena.distribution import Distribution
from chain.arena.estimates import Pairs, Sprt, wilson
from chain.arena.match import Row
from chain.arena.plan import Plan
from chain.foundation.dataclass import dataclass


@dataclass(frozen=True)
class Share:
    """The wins of a strategy: in all its games, or in those on one seat. A shared win counts as a fraction.

    >>> Share("greedy", seat=None, games=10, wins=7.5).share
    0.75
    """

    strategy: str  # the name of the strategy
    seat: int | None  # the seat; None for all seats
    games: int  # the number of its games
    wins: float  # the number of its wins

    @property
    def share(self) -> float:
        """The fraction of the games that it won."""
        return self.wins / self.games if self.games else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of that fraction."""
        return wilson(self.wins, self.games)


@dataclass
class Tally:
    """The games from number 0 on, without a gap.

    >>> tally = Tally(Plan.of("contracts.deblockle", ["random"]))  # `play` returns one of the games it played
    >>> tally.games, tally.failures, tally.is_decided
    (0, 0, False)
    >>> tally.shares(), [share.wins for share in tally.by_seat()]
    ([], [0, 0])
    """

    plan: Plan  # the plan that the games follow
    sprt: Sprt | None = None  # the sequential test, if there is one
    games: int = 0  # the number of games
    failures: int = 0  # the number of failed games
    accepted: float | None = None  # the Elo that the sequential test has decided for
    digest: str = ""  # of the rows: each with the digest of those before it
    # Of duels: the first strategy's points in each pair of games.
    pairs: Pairs = field(default_factory=Pairs)
    plies: Distribution = field(default_factory=Distribution)  # their lengths
    endings: Counter[str] = field(default_factory=Counter)  # the reasons of their ends
    # By entry.
    gas: defaultdict[str, Distribution] = field(default_factory=lambda: defaultdict(Distribution))
    heat: Counter[str] = field(default_factory=Counter)  # of the parts of the picture

    def __repr__(self) -> str:
        return f"<Tally of {self.plan.target}, games: {self.games}, failed: {self.failures}>"

    _played: Counter[tuple[str, int]] = field(default_factory=Counter)
    _wins: defaultdict[tuple[str, int], float] = field(default_factory=lambda: defaultdict(float))
    _first_half: float | None = None  # of a pair: the first strategy's points in its first game

    @property
    def is_decided(self) -> bool:
        """True if the sequential test has decided."""
        return self.accepted is not None

    def add(self, row: Row) -> None:
        """Count the next game."""
        if row.game != self.games:
            raise ValueError(f"game {self.games} comes next, not {row.game}")
        self.games += 1
        self.digest = and_row(self.digest, row)
        self.plies.add(row.plies)
        if row.details is not None:
            self._count_details(json.loads(row.details))
        seats, points = self.plan.seats(row.game), _points(row.winners)
        if row.failure is not None:
            self.failures += 1
        else:
            self.endings[row.ending or ""] += 1
            for seat, name in enumerate(seats):
                self._played[name, seat] += 1
                self._wins[name, seat] += points.get(seat, 0)
        if self.plan.is_duel:
            mine = points.get(seats.index(self.plan.strategies[0]), 0)
            self._count_half(row.game, None if row.failure else mine)

    def shares(self) -> list[Share]:
        """Return the share of each strategy, then of each on each seat, the most wins first."""
        names = dict.fromkeys(self.plan.strategies)
        seats: list[int | None] = [None, *range(len(self.plan.strategies))]
        shares = [self._share(name, seat) for name in names for seat in seats]
        known = [share for share in shares if share.games]
        return sorted(known, key=lambda share: (share.seat is not None, -share.share))

    def by_seat(self) -> list[Share]:
        """Return the wins on each seat, for all strategies together."""
        seats = range(len(self.plan.strategies))
        return [self._sum("", [key for key in self._played if key[1] == seat], seat) for seat in seats]  # fmt: skip

    def to_json(self) -> dict[str, object]:
        """Return the count as a record."""
        return {
            "sprt": self.sprt and asdict(self.sprt),
            "games": self.games,
            "failures": self.failures,
            "accepted": self.accepted,
            "digest": self.digest,
            "pairs": self.pairs.counts,
            "plies": self.plies.to_json(),
            "endings": self.endings,
            "gas": {entry: each.to_json() for entry, each in self.gas.items()},
            "heat": self.heat,
            "seats": [[*key, games, self._wins[key]] for key, games in self._played.items()],
            "first_half": self._first_half,
        }

    @classmethod
    def from_json(cls, plan: Plan, record: Mapping[str, Any]) -> Self:
        """Return the count of a record."""
        gas = {entry: Distribution.from_json(each) for entry, each in record["gas"].items()}
        seats = {(name, seat): (games, wins) for name, seat, games, wins in record["seats"]}
        return cls(
            plan,
            record["sprt"] and Sprt(**record["sprt"]),
            record["games"],
            record["failures"],
            record["accepted"],
            record["digest"],
            Pairs(tuple(record["pairs"])),
            Distribution.from_json(record["plies"]),
            Counter(record["endings"]),
            defaultdict(Distribution, gas),
            Counter(record["heat"]),
            Counter({key: games for key, (games, _) in seats.items()}),
            defaultdict(float, {key: wins for key, (_, wins) in seats.items()}),
            record["first_half"],
        )

    def _share(self, name: str, seat: int | None) -> Share:
        keys = [key for key in self._played if key[0] == name and seat in (None, key[1])]
        return self._sum(name, keys, seat)

    def _sum(self, name: str, keys: list[tuple[str, int]], seat: int | None) -> Share:
        games, wins = sum(self._played[key] for key in keys), sum(self._wins[key] for key in keys)
        return Share(name, seat, games, wins)

    def _count_details(self, details: Mapping[str, Any]) -> None:
        for entry, counts in details["gas"].items():
            for gas, times in counts.items():
                self.gas[entry].add(int(gas), times)
        self.heat.update(details["heat"])

    def _count_half(self, number: int, points: float | None) -> None:
        """Count a pair with its second game, if neither of the two failed."""
        if number % 2 == 0:
            self._first_half = points
        elif points is not None and self._first_half is not None:
            self.pairs = self.pairs.and_one(self._first_half + points)
            if self.sprt is not None:
                self.accepted = self.sprt.accepted(self.pairs)


def and_row(digest: str, row: Row) -> str:
    """Return the digest of the rows so far and the next one."""
    return sha256(f"{digest}{json.dumps(row)}".encode()).hexdigest()


@lru_cache
def _points(winners: str) -> dict[int, float]:
    """Return the fraction of a win for each winning seat."""
    seats = json.loads(winners)
    return {seat: 1 / len(seats) for seat in seats}
