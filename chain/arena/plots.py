"""Plots as SVG, from which values can be read: axes with ticks at round numbers, labels, tooltips with the numbers themselves.

A plot is about 2 kB, needs no script, can be printed, and turns dark with its page. All its text is escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil, floor, log10
from typing import Final

from chain.foundation.dataclass import dataclass
from chain.pictures.markup import Markup, circle, element, rect, shorten, text
from chain.pictures.picture import FONT

WIDTH: Final = 360  # the width of a phone's screen, so that the text is never small
_LEFT: Final = 132  # for labels
_RIGHT: Final = 18
_ROW: Final = 26
_SMALL: Final = 11
_LETTERS: Final = 16  # of a label
_HEIGHT: Final = 150  # of the bars of a histogram
_MOST_BARS: Final = 30

Format = Callable[[float], str]


@dataclass(frozen=True)
class Interval:
    """A value, with its lower and upper end."""

    label: str
    value: float
    low: float
    high: float


def whole(number: float) -> str:
    return f"{number:,.0f}".replace("-", "−")


def plain(number: float) -> str:
    return f"{number:g}".replace("-", "−")


def percent(share: float) -> str:
    digits = f"{100 * share:.2f}".rstrip("0").rstrip(".")
    return f"{'0' if digits == '-0' else digits}%".replace("-", "−")


def intervals(
    rows: Sequence[Interval], axis: str, show: Format, *,
    mark: float | None = None, least: float | None = None, most: float | None = None,
) -> Markup:  # fmt: skip
    """Return a line for each row, with a dot at its value. `mark` is a value to compare them with."""
    marks = [] if mark is None else [mark]
    low = min([row.low for row in rows] + marks) if least is None else least
    high = max([row.high for row in rows] + marks) if most is None else most
    scale = _Scale(low, high, _LEFT, WIDTH - _RIGHT)
    bottom = 6 + _ROW * len(rows)
    shapes = [_line(at, 0, at, bottom, stroke="line") for at in map(scale.at, scale.ticks)]
    shapes += [_label(scale.at(tick), bottom + 12, show(tick)) for tick in scale.ticks]
    if mark is not None:
        at = scale.at(mark)
        shapes.append(_line(at, 0, at, bottom, stroke="accent", stroke_width=1.4, stroke_dasharray="4 3"))  # fmt: skip
    for number, row in enumerate(rows):
        y = 6 + _ROW * (number + 0.5)
        told = f"{row.label}: {show(row.value)} ({show(row.low)} to {show(row.high)})"
        shapes += [
            text(_LEFT - 10, y, shorten(row.label, _LETTERS), size=12, anchor="end"),
            _line(scale.at(row.low), y, scale.at(row.high), y, stroke="blue", stroke_width=3),
            element("g", element("title", told), circle(scale.at(row.value), y, 5, fill="ink", stroke="ground")),
        ]  # fmt: skip
    return _plot(bottom + 40, axis, shapes)


def histogram(counts: Mapping[int, int], across: str, up: str) -> Markup:
    """Return bars for whole numbers, several in one bar where there are many."""
    low, high = min(counts), max(counts)
    size = _bar_size(high - low + 1)
    first = low // size * size
    bars = [0] * ((high - first) // size + 1)
    for number, times in counts.items():
        bars[(number - first) // size] += times
    xs = _Scale(first, first + size * len(bars), 46, WIDTH - _RIGHT, is_exact=True)
    ys = _Scale(0, max(bars), _HEIGHT + 6, 6)
    shapes = []
    for tick in filter(float.is_integer, map(float, ys.ticks)):
        y = ys.at(tick)
        shapes.append(_line(46, y, WIDTH - _RIGHT, y, stroke="line"))
        shapes.append(text(40, y, whole(tick), size=_SMALL, anchor="end", fill="muted"))
    for number, times in enumerate(bars):
        start, end = first + number * size, first + (number + 1) * size - 1
        told = f"{start}: {times}" if size == 1 else f"{start} to {end}: {times}"
        left, right = xs.at(start), xs.at(end + 1)
        bar = rect(left + 0.5, ys.at(times), right - left - 1, _HEIGHT + 6 - ys.at(times), fill="blue")  # fmt: skip
        shapes.append(element("g", element("title", told), bar))
    middle = 0.5 if size == 1 else 0  # of a bar, if it is of one number
    for tick in xs.ticks:
        if tick == round(tick) and xs.at(tick + middle) <= WIDTH - _RIGHT:
            shapes.append(_label(xs.at(tick + middle), _HEIGHT + 18, whole(tick)))
    shapes.append(text(46, -8, up, size=_SMALL, fill="muted"))
    return _plot(_HEIGHT + 46, across, shapes, above=16)


class _Scale:
    """Maps values to positions, with round ticks; both ends are ticks unless the scale `is_exact`."""

    def __init__(self, low: float, high: float, start: float, end: float, *, is_exact: bool = False) -> None:  # fmt: skip
        if low == high:
            low, high = (low - 1, high + 1) if low else (0, 1)
        step = _round_step((high - low) / 5)
        before, after = (ceil, floor) if is_exact else (floor, ceil)
        ticks = range(before(low / step), after(high / step) + 1)
        self.ticks = [round(tick * step, 9) for tick in ticks]
        self._low, self._high = (low, high) if is_exact else (self.ticks[0], self.ticks[-1])
        self._start, self._end = start, end

    def at(self, value: float) -> float:
        share = (value - self._low) / (self._high - self._low)
        return round(self._start + share * (self._end - self._start), 2)


def _round_step(least: float) -> float:
    """Return the first of 1, 2, 5, 10, 20, … that is not less."""
    unit: float = 10.0 ** floor(log10(least))
    return next(step * unit for step in (1, 2, 5, 10) if step * unit >= least * (1 - 1e-9))


def _bar_size(numbers: int) -> int:
    return 1 if numbers <= _MOST_BARS else ceil(_round_step(numbers / _MOST_BARS))


def _line(x: float, y: float, to_x: float, to_y: float, **paint: str | float) -> Markup:
    return element("line", x1=x, y1=y, x2=to_x, y2=to_y, **paint)


def _label(x: float, y: float, words: str) -> Markup:
    return text(x, y, words, size=_SMALL, anchor="middle", fill="muted")


def _plot(height: float, axis: str, shapes: Sequence[Markup], above: float = 0) -> Markup:
    middle = (46 if above else _LEFT) / 2 + (WIDTH - _RIGHT) / 2
    name = text(middle, height - 10, axis, size=_SMALL, anchor="middle", fill="muted")
    return element(
        "svg", *shapes, name, viewBox=f"0 {-above:g} {WIDTH} {height + above:g}",
        font_family=FONT, role="img", aria_label=axis,
    )  # fmt: skip
