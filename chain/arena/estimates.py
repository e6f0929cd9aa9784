"""Estimates of strength from results: shares with their intervals, Elo, and a sequential test.

Two games with the same random numbers and swapped seats are one observation, a pair: its score is 0, ½, 1, 1½ or 2. The
variance of pairs is less than that of games treated as independent, because luck and the first move cancel out.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log, log10, sqrt
from typing import Final

from chain.foundation.dataclass import dataclass

Z: Final = 1.959963984540054  # 95 in 100 are within this many standard deviations of the mean
PAIR_SCORES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)  # of a pair, as a share
PSEUDO_COUNT: Final = 1e-3  # so that no kind of pair seems impossible
FEWEST_PAIRS: Final = 50  # before the sequential test applies


def wilson(points: float, games: int) -> tuple[float, float]:
    """Return the interval for a share of `points` out of `games`."""
    if not games:
        return 0.0, 1.0
    share = points / games
    middle = share + Z * Z / (2 * games)
    margin = Z * sqrt(share * (1 - share) / games + Z * Z / (4 * games * games))
    scale = 1 + Z * Z / games
    return max(0.0, (middle - margin) / scale), min(1.0, (middle + margin) / scale)


def elo_of(share: float) -> float:
    """Return the Elo advantage of a player who scores this share."""
    share = min(max(share, 1e-6), 1 - 1e-6)
    return -400 * log10(1 / share - 1)


def share_of(elo: float) -> float:
    """Return the share that a player with this Elo advantage scores."""
    share: float = 1 / (1 + 10 ** (-elo / 400))
    return share


@dataclass(frozen=True)
class Pairs:
    """The number of pairs with each score: 0, ½, 1, 1½ and 2."""

    counts: tuple[int, ...] = (0, 0, 0, 0, 0)

    def and_one(self, points: float) -> Pairs:
        """Return these pairs and one more with this score."""
        index = round(2 * points)
        return Pairs(tuple(count + (i == index) for i, count in enumerate(self.counts)))

    @property
    def are_alike(self) -> bool:
        """True if the difference cannot be estimated: all pairs have the same score, or there are none."""
        return sum(map(bool, self.counts)) < 2

    @property
    def elo(self) -> tuple[float, float]:
        """The difference in Elo, and its margin of error."""
        total = sum(self.counts)
        share = _mean(self.counts)
        spread = sum(n * (at - share) ** 2 for n, at in zip(self.counts, PAIR_SCORES, strict=True))
        error = Z * sqrt(spread) / total
        return elo_of(share), (elo_of(share + error) - elo_of(share - error)) / 2


@dataclass(frozen=True)
class Sprt:
    """A sequential test of two hypotheses: the difference is `elo0`, or it is `elo1`."""

    elo0: float
    elo1: float
    alpha: float = 0.05  # the probability of deciding for elo1 although elo0 is true
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -inf < self.elo0 < self.elo1 < inf:
            told = "a sequential test asks for one difference in Elo or a greater one, such as 0 10"
            raise ValueError(f"{told}, not {self.elo0:g} {self.elo1:g}")

    @property
    def bounds(self) -> tuple[float, float]:
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def llr(self, pairs: Pairs) -> float:
        """Return the log-likelihood ratio of the pairs under elo1 and elo0.

        Each hypothesis is represented by the most likely distribution of pairs with its mean.
        """
        counts = [count or PSEUDO_COUNT for count in pairs.counts]
        under = [_likeliest(counts, share_of(elo)) for elo in (self.elo0, self.elo1)]
        llr: float = sum(n * log(p1 / p0) for n, p0, p1 in zip(counts, *under, strict=True))
        return llr

    def accepted(self, pairs: Pairs) -> float | None:
        """Return the Elo that the test decides for; None while it is undecided."""
        if sum(pairs.counts) < FEWEST_PAIRS:
            return None
        low, high = self.bounds
        llr = self.llr(pairs)
        return self.elo0 if llr <= low else self.elo1 if llr >= high else None


def _mean(counts: Sequence[float]) -> float:
    return sum(n * at for n, at in zip(counts, PAIR_SCORES, strict=True)) / sum(counts)


def _likeliest(counts: Sequence[float], mean: float) -> list[float]:
    """Return the distribution with this mean under which the counts are most likely.

    It is n / (1 + x (score - mean)) for the x at which the scores minus the mean add up to zero; the sum falls as x grows.
    """
    total = sum(counts)
    observed = [(count / total, at - mean) for count, at in zip(counts, PAIR_SCORES, strict=True)]
    low, high = -1 / (1 - mean), 1 / mean
    for _ in range(60):
        x = (low + high) / 2
        if sum(p * off / (1 + x * off) for p, off in observed) > 0:
            low = x
        else:
            high = x
    return [p / (1 + x * off) for p, off in observed]
