"""The gas of the calls in the tests that ran: for each entry the number of calls, and the least, median and most gas.

The report registers chains as they are created, and reads their receipts when a test ends or a chain is reverted. Calls between
contracts are counted apart, as `Oracle.price(inner)`: their transaction is run again to measure their gas. Failed
transactions are left out, and so are those of Hypothesis, which differ each time. Nothing of the engine is imported here
before a test has used it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from statistics import median_low
from typing import TYPE_CHECKING, Final, NamedTuple
from weakref import WeakKeyDictionary, ref

if TYPE_CHECKING:
    from chain.ledger.receipts import Receipt
    from chain.simulator.chain import Chain

_HEADS: Final = ("entry", "calls", "min", "median", "max")
_SNAPSHOT_HEADS: Final = (*_HEADS, "test")
_FIXTURES: Final = ""  # in place of a test: the calls of fixtures that several tests share


class EntryStats(NamedTuple):
    """The calls of one entry and their gas."""

    calls: int
    min: int
    median: int
    max: int


class GasRow(NamedTuple):
    """The key by which calls are grouped."""

    test: str
    entry: str


Lines = Mapping[str, EntryStats]
TestLines = Mapping[GasRow, EntryStats]


class GasReport:
    """The gas of every call, by test and entry."""

    def __init__(self) -> None:
        self.used: defaultdict[GasRow, list[int]] = defaultdict(list)
        self.tests: set[str] = set()  # those that ran
        self.differences: list[str] = []  # from the snapshot that it is compared with
        self.counts = True  # False during a test that is left out
        self._test = _FIXTURES
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

    def start(self, test: str, *, counts: bool) -> None:
        """Start to count for a test."""
        self._test, self.counts = test, counts
        self.tests.add(test)

    def end(self) -> None:
        """Count the receipts of a test that has ended."""
        self._count_all(self._test)
        self._made.clear()

    def end_fixture(self) -> None:
        """Count the calls of a fixture that outlives its test, under no test: which test comes first may vary."""
        self._count_all(_FIXTURES)

    def _count_all(self, test: str) -> None:
        before, self._test = self._test, test
        for chain in list(self._done):
            self._count(chain)
        self._test = before

    def _count(self, chain: Chain) -> None:
        first, self._done[chain] = self._done[chain], len(chain.receipts)
        if self.counts or self._test == _FIXTURES:
            for receipt in chain.receipts[first:]:
                for entry, gas in _calls_of(chain, receipt) if receipt.ok else ():
                    self.used[GasRow(self._test, entry)].append(gas)

    def add(self, used: Mapping[tuple[str, str], list[int]], tests: Collection[str]) -> None:
        """Add the gas that another process has counted."""
        self.tests.update(tests)
        for row, gas in used.items():
            self.used[GasRow(*row)] += gas

    def lines(self) -> Lines:
        """The calls by entry, of all tests together."""
        merged: defaultdict[str, list[int]] = defaultdict(list)
        for row, gas in self.used.items():
            merged[row.entry] += gas
        return {entry: _stats(gas) for entry, gas in sorted(merged.items())}

    def test_lines(self) -> TestLines:
        """The calls of each test by entry."""
        return {row: _stats(gas) for row, gas in sorted(self.used.items()) if row.test}


def _stats(gas: list[int]) -> EntryStats:
    return EntryStats(len(gas), min(gas), median_low(gas), max(gas))


def _calls_of(chain: Chain, receipt: Receipt) -> Iterator[tuple[str, int]]:
    """Yield the entry that a transaction called and those that contracts called in it, each with its gas."""
    if receipt.contract is not None:
        entry = "deploy" if receipt.to is None else receipt.entry
        yield f"{receipt.contract}.{entry}", receipt.gas_used
    if not receipt.call_rows:
        return
    reexecution = import_module("chain.ledger.reexecution")
    machine = reexecution.recording_machine(chain.ledger)
    try:
        _, outcome = reexecution.replay_transaction(chain.ledger, receipt, machine)
    except LookupError:  # it cannot be run again because an entry was mocked
        return
    pending = list(outcome.frame.children)
    for frame in pending:
        if frame.failure is None:
            pending += frame.children
            if frame.program is not None:
                entry = "deploy" if frame.kind == "create" else frame.entry and frame.entry.name
                yield f"{frame.program.spec.name}.{entry}(inner)", frame.gas_limit - frame.gas


# Writing and comparing


def table(lines: Lines) -> Iterator[str]:
    """Yield the lines of a report."""
    return _drawn([_HEADS, *((entry, *map(str, line)) for entry, line in lines.items())])


def test_table(lines: TestLines) -> Iterator[str]:
    """Yield the lines of a report by test, which are also those of a snapshot file."""
    rows = ((row.entry, *map(str, line), row.test) for row, line in lines.items())
    return _drawn([_SNAPSHOT_HEADS, *rows])


def _drawn(rows: list[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell.rjust(width) if 0 < i < len(_HEADS) else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()


def read_snapshot(text: str) -> TestLines:
    """Return the lines of a snapshot file; raise ValueError if it is not one."""
    lines = {}
    heads, *rows = [line.split(None, len(_HEADS)) for line in text.splitlines()] or [[]]
    if tuple(heads) != _SNAPSHOT_HEADS:
        raise ValueError(f"a gas snapshot begins with '{' '.join(_SNAPSHOT_HEADS)}'")
    for row in rows:
        numbers = row[1 : len(_HEADS)]
        if len(row) != len(_SNAPSHOT_HEADS) or not all(cell.isdecimal() for cell in numbers):
            raise ValueError(f"not a line of a gas snapshot: '{' '.join(row)}'")
        lines[GasRow(row[-1], row[0])] = EntryStats(*map(int, numbers))
    return lines


def differences(then: TestLines, now: TestLines, tests: Collection[str]) -> Iterator[str]:
    """Yield a line for each entry that has changed in one of `tests`, those that ran."""
    for row in sorted({row for row in (*then, *now) if row.test in tests}):
        name = f"{row.entry} in {row.test}"
        if row not in now:
            yield f"{name}: is no longer called"
        elif row not in then:
            yield f"{name}: is new, {_format_line(now[row])}"
        elif then[row] != now[row]:
            pairs = zip(EntryStats._fields, then[row], now[row], strict=True)
            changes = (
                f"{field} {old} -> {new} ({new - old:+})" for field, old, new in pairs if old != new
            )
            yield f"{name}: {', '.join(changes)}"


def _format_line(line: EntryStats) -> str:
    return ", ".join(
        f"{name} {value}" for name, value in zip(EntryStats._fields, line, strict=True)
    )


def compare_with_snapshot(path: Path, gas: GasReport) -> list[str]:
    """Write the snapshot if there is none; otherwise return the differences from it, in the tests that ran."""
    lines = gas.test_lines()
    if not path.exists():
        path.write_text("".join(f"{line}\n" for line in test_table(lines)), encoding="utf-8")
        return []
    try:
        snapshot = read_snapshot(path.read_text(encoding="utf-8"))
    except ValueError as problem:
        return [str(problem)]
    return list(differences(snapshot, lines, gas.tests))
