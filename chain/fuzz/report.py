"""The report of a fuzz run: for each entry the number of its calls, its successes, and the reasons of its refusals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

from chain.foundation.dataclass import dataclass
from chain.fuzz.line_coverage import CoveredLines
from chain.machine.failure import Failure

_WIDEST = 90
_MOST = 12  # reasons that are shown per entry


@dataclass
class EntryTally:
    """The outcomes of the calls of one entry."""

    calls: int = 0
    ok: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    announced: Counter[str] = field(default_factory=Counter)
    words: dict[str, str] = field(default_factory=dict)  # the first full text of each reason


@dataclass
class Report:
    """The report of a whole run. Its `str` is the table.

    >>> class RaceFuzz(Fuzz):
    ...     contracts = (Race,)
    >>> report = RaceFuzz.run(max_examples=20, lines=False)
    >>> report.examples, report.calls > 0, ("Race.roll", "ok") in report.reached
    (20, True, True)
    """

    lines: CoveredLines  # the lines of code that were reached
    tallies: dict[str, EntryTally] = field(default_factory=dict)  # the calls by entry
    examples: int = 0  # the number of plays

    def __repr__(self) -> str:
        return f"<Report, plays: {self.examples}, calls: {self.calls}>"

    @property
    def calls(self) -> int:
        """The number of calls."""
        return sum(tally.calls for tally in self.tallies.values())

    @property
    def reached(self) -> set[tuple[str, str]]:
        """Pairs of an entry and an outcome: `ok`, or the reason of a refusal."""
        pairs = {(name, "ok") for name, tally in self.tallies.items() if tally.ok}
        return pairs | {
            (name, tally.words[reason])
            for name, tally in self.tallies.items()
            for reason in tally.refused
        }

    @property
    def unreached(self) -> list[str]:
        """Entries that never succeeded."""
        return [name for name, tally in self.tallies.items() if not tally.ok]

    def count(
        self, name: str, outcome: str, error: Failure | None, announced: Iterable[str]
    ) -> None:
        """Count a call of the entry called `name`."""
        tally = self.tallies.get(name) or self.tallies.setdefault(name, EntryTally())
        tally.calls += 1
        if error is not None:
            tally.refused[outcome] += 1
            if outcome not in tally.words:
                tally.words[outcome] = str(error)
            return
        tally.ok += 1
        for text in announced:
            tally.announced[text] += 1

    def add(self, other: Report) -> None:
        """Also count the calls of another run of the same description."""
        self.examples += other.examples
        self.lines.ever |= other.lines.ever
        for name, theirs in other.tallies.items():
            tally = self.tallies.setdefault(name, EntryTally())
            tally.calls += theirs.calls
            tally.ok += theirs.ok
            tally.refused += theirs.refused
            tally.announced += theirs.announced
            tally.words = theirs.words | tally.words

    def to_json(self) -> dict[str, object]:
        """Return the report as a record."""
        tallies = {name: vars(tally) for name, tally in self.tallies.items()}
        files, ever = sorted(self.lines.files), sorted(self.lines.ever)
        return {"examples": self.examples, "tallies": tallies, "files": files, "lines": ever}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Self:
        """Return the report of a record."""
        lines = CoveredLines(record["files"])
        lines.ever = {(file, line) for file, line in record["lines"]}
        report = cls(lines, examples=record["examples"])
        for name, each in record["tallies"].items():
            counters = {key: Counter(each[key]) for key in ("refused", "announced")}
            report.tallies[name] = EntryTally(**{**each, **counters})
        return report

    def __str__(self) -> str:
        return "\n".join(self._table())

    def _table(self) -> Iterator[str]:
        wide = max([5, *map(len, self.tallies)])
        yield f"{counted(self.examples, 'play')}, {counted(self.calls, 'call')}"
        yield f"{'entry':<{wide}}  {'calls':>7} {'ok':>7} {'refused':>7}"
        for name, tally in self.tallies.items():
            refused = tally.calls - tally.ok
            yield f"{name:<{wide}}  {tally.calls:>7} {tally.ok:>7} {refused:>7}"
            for text, count in tally.announced.most_common(_MOST):
                yield f"{'':<{wide}}  {'':>7} {count:>7}         logs {_short(text)}"
            for reason, count in tally.refused.most_common(_MOST):
                yield f"{'':<{wide}}  {'':>7} {'':>7} {count:>7} {_short(tally.words[reason])}"
        if self.unreached:
            yield f"never succeeded: {', '.join(self.unreached)}"
        yield from self._lines()

    def _lines(self) -> Iterator[str]:
        for file, count, missed in self.lines.table() if self.lines.ever else ():
            rest = f", not {spans(missed)}" if missed else ""
            yield f"{_short_path(file)}: {count - len(missed)} of {count} lines reached{rest}"


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def spans(lines: list[int]) -> str:
    """Return line numbers as text, with ranges: `[3, 5, 6, 7]` becomes `3, 5-7`."""
    breaks = [i for i, (line, next_line) in enumerate(pairwise(lines), 1) if next_line != line + 1]
    parts = [lines[i:j] for i, j in pairwise([0, *breaks, len(lines)])]
    return ", ".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _WIDEST else f"{line[: _WIDEST - 1]}…"


def _short_path(file: str) -> str:
    working_dir = Path.cwd()
    path = Path(file)
    return str(path.relative_to(working_dir)) if path.is_relative_to(working_dir) else path.name
