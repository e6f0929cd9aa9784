"""Distributions: exact where numbers are short, to three digits where they are long."""

from __future__ import annotations

from random import Random
from statistics import median_low

import pytest

from chain.arena.distribution import Distribution


def of(*numbers: int) -> Distribution:
    distribution = Distribution()
    for number in numbers:
        distribution.add(number)
    return distribution


def test_short_numbers_are_exact() -> None:
    numbers = Random(1).choices(range(1000), k=501)
    distribution = of(*numbers)
    assert distribution.quantile(0.5) == median_low(numbers)
    assert distribution.quantile(1) == distribution.most == max(numbers)
    assert distribution.quantile(0) == distribution.least == min(numbers)
    assert distribution.mean == pytest.approx(sum(numbers) / 501)


def test_long_numbers_have_three_digits() -> None:
    distribution = of(123_456, 70_562, 70_449)
    assert distribution.counts == {123_000: 1, 70_600: 1, 70_400: 1}
    assert (distribution.least, distribution.most) == (70_449, 123_456)
    assert distribution.total == 264_467


def test_quantiles_lie_between_least_and_most() -> None:
    assert of(70_562).quantile(0.5) == 70_562


def test_distribution_survives_json() -> None:
    distribution = of(3, 3, 70_562)
    assert Distribution.from_json(distribution.to_json()) == distribution
    assert Distribution.from_json(of().to_json()).mean == 0
