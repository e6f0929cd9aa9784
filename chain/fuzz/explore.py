"""One fuzz run: what could be called next, what was, and which beginnings led somewhere new.

A play that reached something new (another outcome of an entry, another line, another value in storage) leaves its steps as
a beginning, from which later plays go on, most often those that led to what is seldom met. This is what lets a run find what
takes several right moves in a row. Nothing is added once a problem has shown, so the play that met it can be repeated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from chain.contract import Contract
from chain.fuzz.code import constants_in, files_of
from chain.fuzz.describe import Fuzz, variable
from chain.fuzz.lines import Lines
from chain.fuzz.report import Report, Tally, masked, reason_of
from chain.fuzz.steps import (
    Call,
    Deployment,
    Done,
    Problem,
    Step,
    Wait,
    entry_name,
    perform,
    problem_after,
)
from chain.fuzz.strategies import Hints
from chain.simulator import Chain
from chain.spec import EntrySpec

Feature: TypeAlias = tuple[Any, ...]

_BEGINNINGS: Final = 64  # kept of each sort
_WORDS: Final = 64  # of storage, in which values count as something new
_VALUES_OF_A_WORD: Final = 16


class Found(AssertionError):
    """A play met a problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


@dataclass(slots=True)
class Beginning:
    """Steps that led to something new. What is met seldom is worth going on from."""

    steps: tuple[Step, ...]
    features: set[Feature]
    met: int = 0  # how often, of these features the rarest

    @property
    def order(self) -> tuple[int, int]:
        return self.met, len(self.steps)


class Explorer:
    """Plays on one chain, one after the other, and remembers what they reached."""

    def __init__(self, description: type[Fuzz], lines: bool = True) -> None:
        self.description = description
        self.chain = Chain()
        self._start = self.chain.snapshot()
        self.play = description(self.chain)
        self.missing = tuple(self.play.missing)
        self.targets = _targets(self.play)
        files = files_of(contract for contract, _ in self.targets.values())
        self.hints = Hints(*constants_in(files))
        self.report = Report(Lines(files, lines))
        self.steps: list[Step] = []
        self.found = False
        self._beginnings: tuple[list[Beginning], list[Beginning]] = (
            [],
            [],
        )  # by behaviour, by storage
        self._news: list[tuple[int, Beginning]] = []
        self._met: Counter[Feature] = Counter()  # in how many plays
        self._values: dict[Feature, set[Any]] = {}
        self._now: set[Feature] = set()
        self._kept: list[Step] = []

    def entries(self, kinds: tuple[str, ...]) -> Iterator[tuple[str, EntrySpec]]:
        """The entries of these kinds that are to be called, each with the name of its contract's handle."""
        for name, (contract, _) in self.targets.items():
            for spec in contract.__spec__.entries.values():
                wanted = {spec.name, f"{contract.__name__}.{spec.name}"}.isdisjoint(
                    self.description.leaves_out
                )
                if spec.kind in kinds and not spec.private and wanted:
                    self._tally(f"{contract.__name__}.{spec.name}")
                    yield name, spec

    def _tally(self, name: str) -> None:
        if not self.found:
            self.report.tallies.setdefault(name, Tally())

    # A play

    def begin(self) -> None:
        """A play begins."""
        self._now, self._news = set(), []
        self.report.examples += not self.found
        self._afresh()

    def resume(self, sort: int, place: int) -> bool:
        """Start over within a play from a beginning that led to something new; whether there was one.

        `sort` says in what: 0 in behaviour, 1 in storage, -1 starts from nothing. Of the 2^16 places the low ones are seldom met.
        """
        self._afresh()
        known = self._beginnings[sort] if sort >= 0 else []
        if not known:
            return False
        for step in known[len(known) * place * place >> 32].steps:
            self.take(step)
        return True

    def _afresh(self) -> None:
        """Everything is undone, and the description sets up anew."""
        self.chain.revert(self._start)
        self.steps, self._kept = [], []
        self.report.lines.now.clear()
        self.play = self.description(self.chain)
        there = [handle.address for handle in self.play.handles.values()]
        self.hints.begin([*self.play.accounts, *there])

    def take(self, step: Step) -> None:
        """Take a step; raises `Found` if it leads to a problem."""
        with self.report.lines.watching():
            done = perform(self.play, step)
        if done is None:
            return
        self.steps.append(step)
        self._note(step, done)
        problem = problem_after(self.play, step, done)
        if problem is not None:
            self.found = True
            raise Found(problem)

    def end(self) -> None:
        """A play is over; what it reached is there to go on from."""
        if not self.found:
            self._met.update(self._now)
            for sort, beginning in self._news:
                self._beginnings[sort].append(beginning)
            for known in self._beginnings:
                for each in known:
                    each.met = min(self._met[feature] for feature in each.features)
                known.sort(key=lambda each: each.order)
                del known[_BEGINNINGS:]

    def replay(self, steps: list[Step]) -> tuple[Problem, int] | None:
        """Play these steps from the start: the first problem, and how many steps led to it."""
        self.chain.revert(self._start)
        self.play = self.description(self.chain)
        for count, step in enumerate(steps, 1):
            done = perform(self.play, step)
            problem = None if done is None else problem_after(self.play, step, done)
            if problem is not None:
                return problem, count
        return None

    # What it reached

    def _note(self, step: Step, done: Done) -> None:
        if isinstance(step, Wait):
            self._kept.append(step)
            return
        name = entry_name(self.play, step)
        if not self.found:
            self.report.count(name, done)
        if done.error is None and isinstance(step, Call):
            self._remember(step, done)
        if not done.is_view and (done.error is None or isinstance(step, Deployment)):
            self._kept.append(step)
        if not self.found:
            for sort, features in enumerate((self._behaviour(name, done), self._storage(done))):
                fresh = {each for each in features - self._now if not self._met[each]}
                if fresh:
                    self._news.append((sort, Beginning(tuple(self._kept), fresh)))
                self._now |= features
        self.report.lines.now.clear()

    def _remember(self, step: Call, done: Done) -> None:
        spec = self.play.handles[step.on].contract.__spec__.entries[step.entry]
        for member, value in zip(spec.params, step.args, strict=True):
            self.hints.note(member.kind, value)
        self.hints.note(spec.returns, done.value)

    def _behaviour(self, name: str, done: Done) -> set[Feature]:
        how = "ok" if done.error is None else reason_of(done.error)
        told = ((name, masked(text)) for text in done.told)
        return {(name, how), *self.report.lines.now, *told}

    def _storage(self, done: Done) -> set[Feature]:
        """The first values of the first words: a counter's, a phase's, not those of everything that grows."""
        found = set()
        for address, slot, value in done.words:
            if value is None:  # back to zero
                continue
            if (address, slot) in self._values or len(self._values) < _WORDS:
                known = self._values.setdefault((address, slot), set())
                if value in known or len(known) < _VALUES_OF_A_WORD:
                    known.add(value)
                    found.add((address, slot, value))
        return found


def _targets(play: Fuzz) -> dict[str, tuple[type[Contract], bool]]:
    """Each contract by the name its handle has or will have, and whether it is there already."""
    found = {name: (handle.contract, True) for name, handle in play.handles.items()}
    found |= {variable(contract.__name__): (contract, False) for contract in play.missing}
    if not found:
        raise TypeError(
            f"{type(play).__name__} fuzzes nothing: say 'contracts = (Game,)', or deploy in set_up"
        )
    return found
