"""Plots: their ticks are round numbers, and each dot is drawn at its value."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from chain.arena.plots import Interval, histogram, intervals, percent, plain, whole
from chain.pictures import Markup


def words(plot: Markup) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(plot).iter("text")]


def places(plot: Markup, name: str, key: str) -> list[float]:
    return [float(each.attrib[key]) for each in ElementTree.fromstring(plot).iter(name)]


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0, 1, ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        (-13, 52, ["−20", "0", "20", "40", "60"]),
        (61_000, 248_498, ["50000", "100000", "150000", "200000", "250000"]),
        (5, 5, ["4", "4.5", "5", "5.5", "6"]),
    ],
)
def test_ticks_are_round(low: float, high: float, ticks: list[str]) -> None:
    plot = intervals([Interval("a", high, low, high)], "x", plain)
    assert words(plot) == [*ticks, "a", "x"]


def test_dot_stands_where_its_value_is() -> None:
    """A dot a quarter of the way between two ticks."""
    plot = intervals([Interval("a", 0.45, 0.4, 0.6)], "x", percent, least=0, most=1)
    ticks = places(plot, "line", "x1")
    (dot,) = places(plot, "circle", "cx")
    assert dot == pytest.approx(ticks[2] + (ticks[3] - ticks[2]) / 4, abs=0.02)


@pytest.mark.parametrize(
    ("counts", "bars"),
    [
        ({3: 2, 5: 1}, [(3, 3, 2), (4, 4, 0), (5, 5, 1)]),
        ({10: 1, 69: 4}, [(start, start + 1, {10: 1, 68: 4}.get(start, 0)) for start in range(10, 70, 2)]),
    ],
)  # fmt: skip
def test_bars_are_of_whole_numbers(
    counts: dict[int, int], bars: list[tuple[int, int, int]]
) -> None:
    told = re.findall(r"<title>(\d+)(?: to (\d+))?: (\d+)</title>", histogram(counts, "x", "y"))
    assert [(int(a), int(b or a), int(n)) for a, b, n in told] == bars


def test_few_games_are_counted_in_whole_numbers() -> None:
    assert words(histogram({7: 1, 8: 2}, "x", "y"))[:3] == ["0", "1", "2"]


def test_numbers_are_short() -> None:
    assert [whole(-1234567.8), plain(0.5), percent(1 / 3), percent(4e-17), percent(-0.05)] == [
        "−1,234,568",
        "0.5",
        "33.33%",
        "0%",
        "−5%",
    ]


def test_labels_are_text() -> None:
    plot = intervals([Interval("<b>&", 1, 0, 2)], "<i>", plain)
    assert "<b>" not in plot
    assert words(plot)[-2:] == ["<b>&", "<i>"]
