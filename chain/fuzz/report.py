"""What a fuzz run has reached: for each entry how often it was called, how often it went well, and why it was refused."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from chain.fuzz.line_coverage import Lines
from chain.fuzz.steps import StepResult
from chain.machine.frame import Failure

_WIDEST = 90
_MOST = 12  # reasons shown of an entry


@dataclass
class Tally:
    """What became of the calls of one entry."""

    calls: int = 0
    ok: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    told: Counter[str] = field(default_factory=Counter)
    words: dict[str, str] = field(default_factory=dict)  # a reason as it was first given


@dataclass
class Report:
    """The whole of a run; `str` of it is the table."""

    lines: Lines
    tallies: dict[str, Tally] = field(default_factory=dict)
    examples: int = 0

    @property
    def calls(self) -> int:
        return sum(tally.calls for tally in self.tallies.values())

    @property
    def reached(self) -> set[tuple[str, str]]:
        """Pairs of an entry and how it went: `ok`, or the reason of a refusal."""
        pairs = {(name, "ok") for name, tally in self.tallies.items() if tally.ok}
        return pairs | {
            (name, tally.words[reason])
            for name, tally in self.tallies.items()
            for reason in tally.refused
        }

    @property
    def unreached(self) -> list[str]:
        """Entries that never went well."""
        return [name for name, tally in self.tallies.items() if not tally.ok]

    def count(self, name: str, done: StepResult) -> set[tuple[str, str]]:
        """Count a call; returns what it told, with the entry's name."""
        tally = self.tallies.setdefault(name, Tally())
        tally.calls += 1
        if done.error is None:
            tally.ok += 1
            told = {masked(text) for text in done.announced}
            tally.told.update(told)
            return {(name, text) for text in told}
        reason = reason_of(done.error)
        tally.refused[reason] += 1
        tally.words.setdefault(reason, str(done.error))
        return set()

    def __str__(self) -> str:
        return "\n".join(self._table())

    def _table(self) -> Iterator[str]:
        wide = max([5, *map(len, self.tallies)])
        yield f"{self.examples} plays, {self.calls} calls"
        yield f"{'entry':<{wide}}  {'calls':>7} {'ok':>7} {'refused':>7}"
        for name, tally in self.tallies.items():
            refused = tally.calls - tally.ok
            yield f"{name:<{wide}}  {tally.calls:>7} {tally.ok:>7} {refused:>7}"
            for text, count in tally.told.most_common(_MOST):
                yield f"{'':<{wide}}  {'':>7} {count:>7}         told {_short(text)}"
            for reason, count in tally.refused.most_common(_MOST):
                yield f"{'':<{wide}}  {'':>7} {'':>7} {count:>7} {_short(tally.words[reason])}"
        if self.unreached:
            yield f"never went well: {', '.join(self.unreached)}"
        yield from self._lines()

    def _lines(self) -> Iterator[str]:
        for file, count, missed in self.lines.table() if self.lines.ever else ():
            rest = f", not {spans(missed)}" if missed else ""
            yield f"{_short_path(file)}: {count - len(missed)} of {count} lines reached{rest}"


def reason_of(failure: Failure) -> str:
    """What makes two refusals the same one: their words, apart from what differs, and the place they come from."""
    return f"{failure.place or failure.kind}: {masked(failure.text)}"


def masked(text: str) -> str:
    """A text without what differs from call to call: numbers, and what is quoted."""
    return re.sub(r"0x[0-9a-fA-F]+|-?\d+|'[^']*'|\"[^\"]*\"", "#", text)


def spans(lines: list[int]) -> str:
    """`[3, 5, 6, 7]` is `3, 5-7`."""
    breaks = [i for i, (one, next_) in enumerate(pairwise(lines), 1) if next_ != one + 1]
    parts = [lines[i:j] for i, j in pairwise([0, *breaks, len(lines)])]
    return ", ".join(str(p[0]) if len(p) == 1 else f"{p[0]}-{p[-1]}" for p in parts)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _WIDEST else f"{line[: _WIDEST - 1]}…"


def _short_path(file: str) -> str:
    here = Path.cwd()
    path = Path(file)
    return str(path.relative_to(here)) if path.is_relative_to(here) else path.name
