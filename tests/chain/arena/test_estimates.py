"""Estimates against closed forms and against simulated matches."""

from __future__ import annotations

from math import isclose, log, log10, sqrt
from random import Random

import pytest

from chain.arena.estimates import Pairs, Sprt, elo_of, share_of, wilson


@pytest.mark.parametrize(
    ("points", "games", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),  # Brown, Cai, DasGupta 2001: the upper end is z² / (n + z²)
        (10, 10, 0.7225, 1.0),
        (5, 10, 0.2366, 0.7634),
        (81, 263, 0.2553, 0.3662),  # Newcombe 1998, table I
        (15, 148, 0.0624, 0.1605),
        (1, 29, 0.0061, 0.1718),
        (0, 0, 0.0, 1.0),
    ],
)
def test_wilson_interval(points: float, games: int, low: float, high: float) -> None:
    assert wilson(points, games) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(
    ("points", "games", "low", "high"),
    [
        (0, 10, 0.0, 0.2775327999),
        (5, 10, 0.2365930905, 0.7634069095),
        (412.5, 1000, 0.3823799055, 0.4432897773),
        (18.5, 37, 0.3466557583, 0.6533442417),
        (999_999, 1_000_000, 0.9999943351, 0.9999998235),
    ],
)
def test_interval_is_that_of_statsmodels(
    points: float, games: int, low: float, high: float
) -> None:
    """As `proportion_confint(points, games, method="wilson")` of statsmodels 0.15 has it."""
    assert wilson(points, games) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize(
    ("counts", "elo", "error"),
    [
        ((10, 0, 20, 0, 10), 0, 77.38874391),
        ((8, 14, 50, 22, 11), 23.19677879, 34.29439252),
        ((1, 0, 5, 0, 25), 358.10585979, 191.07649453),
        ((80, 400, 1000, 440, 90), 5.18599087, 6.60254209),
    ],
)
def test_elo_is_that_of_normal_interval(counts: tuple[int, ...], elo: float, error: float) -> None:
    """Of the mean score of pairs, `norm.interval(0.95, mean, sem(pairs, ddof=0))` of scipy 1.17, in Elo."""
    assert Pairs(counts).elo == pytest.approx((elo, error), abs=1e-7)


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "llr"),
    [
        ((8, 14, 50, 22, 11), 0, 20, 0.858246),
        ((80, 400, 1000, 440, 90), -5, 5, 4.558469),
        ((10, 3, 20, 5, 10), 0, 50, -0.765402),
    ],
)
def test_llr_is_that_of_constrained_maximum(counts: tuple[int, ...], elo0: float, elo1: float, llr: float) -> None:  # fmt: skip
    """As `minimize(…, method="SLSQP")` of scipy 1.17 finds the likeliest distributions with either mean."""
    assert Sprt(elo0, elo1).llr(Pairs(counts)) == pytest.approx(llr, abs=2e-6)


def test_wilson_ends_solve_its_equation() -> None:
    """At either end the observed share lies just z standard deviations off."""
    for end in wilson(37, 90):
        assert isclose(abs(37 / 90 - end), 1.959963984540054 * sqrt(end * (1 - end) / 90))


@pytest.mark.parametrize(("share", "elo"), [(0.5, 0), (10 / 11, 400), (1 / 11, -400), (0.75, 400 * log10(3))])  # fmt: skip
def test_elo_of_share(share: float, elo: float) -> None:
    assert elo_of(share) == pytest.approx(elo)
    assert share_of(elo) == pytest.approx(share)


def test_elo_error_comes_from_pairs() -> None:
    elo, error = Pairs((10, 0, 20, 0, 10)).elo
    margin = 1.959963984540054 * sqrt(0.125 / 40)
    assert (elo, error) == pytest.approx((0, elo_of(0.5 + margin)))


@pytest.mark.parametrize("counts", [(0, 0, 0, 0, 0), (0, 0, 1, 0, 0), (0, 0, 0, 0, 40)])
def test_pairs_that_are_alike_tell_no_difference(counts: tuple[int, ...]) -> None:
    assert Pairs(counts).are_alike
    assert not Pairs((0, 1, 40, 0, 0)).are_alike


def test_pairs_count_points() -> None:
    pairs = Pairs()
    for points in (0, 0.5, 1, 1.5, 2, 2):
        pairs = pairs.and_one(points)
    assert pairs.counts == (1, 1, 1, 1, 2)


def test_bounds_are_those_of_wald() -> None:
    assert Sprt(0, 10).bounds == pytest.approx((-log(19), log(19)))


@pytest.mark.parametrize(("lost", "won"), [(60, 40), (10, 90), (37, 63)])
def test_llr_of_two_kinds_of_pair_is_that_of_bernoulli(lost: int, won: int) -> None:
    """With nothing but pairs lost and won, only one distribution has the mean, and the test is Wald's."""
    p0, p1 = share_of(0), share_of(20)
    wald = won * log(p1 / p0) + lost * log((1 - p1) / (1 - p0))
    assert Sprt(0, 20).llr(Pairs((lost, 0, 0, 0, won))) == pytest.approx(wald, rel=1e-3)


def test_llr_is_antisymmetric() -> None:
    counts = (3, 14, 50, 22, 11)
    there, back = Sprt(-5, 5).llr(Pairs(counts)), Sprt(-5, 5).llr(Pairs(counts[::-1]))
    assert there > 0
    assert there == pytest.approx(-back)


def test_llr_nears_normal_approximation() -> None:
    """Of many pairs and a small difference: n (s1 - s0) (2 mean - s0 - s1) / (2 variance)."""
    counts, (s0, s1) = (80, 400, 1000, 440, 90), (share_of(0), share_of(4))
    total = sum(counts)
    mean = sum(n * i / 4 for i, n in enumerate(counts)) / total
    variance = sum(n * (i / 4 - mean) ** 2 for i, n in enumerate(counts)) / total
    normal = total * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
    assert Sprt(0, 4).llr(Pairs(counts)) == pytest.approx(normal, rel=0.02)


def test_test_waits_for_fifty_pairs() -> None:
    assert Sprt(0, 10).accepted(Pairs((0, 0, 0, 0, 49))) is None
    assert Sprt(0, 10).accepted(Pairs((0, 0, 0, 0, 1000))) == 10


@pytest.mark.parametrize("true", [0, 100])
@pytest.mark.parametrize("matches", [200, pytest.param(2000, marks=pytest.mark.slow)])
def test_test_errs_as_seldom_as_it_says(true: float, matches: int) -> None:
    """At most 1 match in 20 may end wrong, and by chance five standard deviations more."""
    test, chance, share = Sprt(0, 100), Random(1), share_of(true)
    wrong = sum(_accepted(test, chance, share) != true for _ in range(matches))
    assert wrong <= matches / 20 + 5 * sqrt(matches * 0.05 * 0.95)


def _accepted(test: Sprt, chance: Random, share: float) -> float:
    pairs = Pairs()
    while (accepted := test.accepted(pairs)) is None:
        pairs = pairs.and_one(sum(chance.random() < share for _ in range(2)))
    return accepted
