"""The gas of the calls in the tests that ran: for each entry the number of calls, and the least, median and most gas.

The report registers chains as they are created, and reads their receipts when a test ends or a chain is reverted. Failed
transactions are left out, and so are those of Hypothesis, which are another sample each time. Nothing of the engine is
imported here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median_low
from typing import TYPE_CHECKING, Final, NamedTuple
from weakref import WeakKeyDictionary, ref

if TYPE_CHECKING:
    from chain.simulator.chain import Chain

_HEADS: Final = ("entry", "calls", "min", "median", "max")


class EntryStats(NamedTuple):
    """The calls of one entry and their gas."""

    calls: int
    min: int
    median: int
    max: int


Lines = Mapping[str, EntryStats]


class GasReport:
    """The gas of every call, by entry."""

    def __init__(self) -> None:
        self.used: defaultdict[str, list[int]] = defaultdict(list)
        self.differences: list[str] = []  # from the snapshot that it is compared with
        self.counts = True  # False while a test runs that is left out
        self._made: list[Chain] = []  # in this test: kept alive until they are counted
        self._done: WeakKeyDictionary[Chain, int] = WeakKeyDictionary()

    def register_chain(self, chain: Chain) -> None:
        self._made.append(chain)
        self._done[chain] = 0
        known = ref(chain)

        def before_cut(blocks: int, receipts: int) -> None:
            chain = known()
            if chain is not None:
                self._count(chain)
                self._done[chain] = min(self._done[chain], receipts)

        chain.ledger.before_cut.append(before_cut)

    def end(self) -> None:
        """Count the receipts of a test that has ended."""
        for chain in list(self._done):
            self._count(chain)
        self._made.clear()

    def _count(self, chain: Chain) -> None:
        first, self._done[chain] = self._done[chain], len(chain.receipts)
        if self.counts:
            for receipt in chain.receipts[first:]:
                if receipt.ok and receipt.contract is not None:
                    entry = "deploy" if receipt.to is None else receipt.entry
                    self.used[f"{receipt.contract}.{entry}"].append(receipt.gas_used)

    def add(self, used: Mapping[str, list[int]]) -> None:
        """Add the gas that another process has counted."""
        for entry, gas in used.items():
            self.used[entry] += gas

    def lines(self) -> Lines:
        return {
            entry: EntryStats(len(gas), min(gas), median_low(gas), max(gas))
            for entry, gas in sorted(self.used.items())
        }


# Writing and comparing


def table(lines: Lines) -> Iterator[str]:
    """Yield the lines of a report, which are also those of a snapshot file."""
    rows = [_HEADS, *((entry, *map(str, line)) for entry, line in lines.items())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        name, *numbers = (
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join((name, *numbers)).rstrip()


def read_snapshot(text: str) -> Lines:
    """Return the lines of a snapshot file; raise ValueError if it is not one."""
    lines = {}
    heads, *rows = [line.split() for line in text.splitlines()] or [[]]
    if tuple(heads) != _HEADS:
        raise ValueError(f"a gas snapshot begins with '{' '.join(_HEADS)}'")
    for row in rows:
        if len(row) != len(_HEADS) or not all(cell.isdecimal() for cell in row[1:]):
            raise ValueError(f"no line of a gas snapshot: '{' '.join(row)}'")
        lines[row[0]] = EntryStats(*map(int, row[1:]))
    return lines


def differences(then: Lines, now: Lines) -> Iterator[str]:
    """Yield a line for each entry that has changed."""
    for entry in sorted({*then, *now}):
        if entry not in now:
            yield f"{entry}: is not called any more"
        elif entry not in then:
            yield f"{entry}: is new, {_format_line(now[entry])}"
        elif then[entry] != now[entry]:
            pairs = zip(EntryStats._fields, then[entry], now[entry], strict=True)
            changes = (
                f"{name} {old} -> {new} ({new - old:+})" for name, old, new in pairs if old != new
            )
            yield f"{entry}: {', '.join(changes)}"


def _format_line(line: EntryStats) -> str:
    return ", ".join(
        f"{name} {value}" for name, value in zip(EntryStats._fields, line, strict=True)
    )


def compare_with_snapshot(path: Path, lines: Lines) -> list[str]:
    """Write the snapshot if there is none; otherwise return the differences from it."""
    if not path.exists():
        path.write_text("".join(f"{line}\n" for line in table(lines)), encoding="utf-8")
        return []
    try:
        return list(differences(read_snapshot(path.read_text(encoding="utf-8")), lines))
    except ValueError as problem:
        return [str(problem)]
