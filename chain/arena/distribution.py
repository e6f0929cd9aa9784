"""The frequency of each whole number, compact enough for a million games: beyond three digits numbers are rounded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final, Self

from chain.foundation.dataclass import dataclass

_DIGITS: Final = 3


@dataclass
class Distribution:
    """Numbers from 0 on: the minimum, the maximum and the sum exactly, all others by their first three digits."""

    counts: Counter[int] = field(default_factory=Counter)
    total: int = 0
    least: int = 0
    most: int = 0

    @property
    def count(self) -> int:
        return self.counts.total()

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else 0.0

    def add(self, number: int, times: int = 1) -> None:
        self.least = min(self.least, number) if self.counts else number
        self.most = max(self.most, number)
        self.total += number * times
        self.counts[_rounded(number)] += times

    def quantile(self, share: float) -> int:
        """Return the number that this share of all numbers does not exceed; the median is that of one half."""
        left = share * self.count
        for number in sorted(self.counts):
            left -= self.counts[number]
            if left <= 0:
                return min(max(number, self.least), self.most)
        return self.most

    def to_json(self) -> dict[str, object]:
        counts = {str(number): times for number, times in self.counts.items()}
        return {"counts": counts, "total": self.total, "least": self.least, "most": self.most}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Self:
        counts = Counter({int(number): times for number, times in record["counts"].items()})
        return cls(counts, record["total"], record["least"], record["most"])


def _rounded(number: int) -> int:
    unit: int = 10 ** max(0, len(str(number)) - _DIGITS)
    return (number + unit // 2) // unit * unit
