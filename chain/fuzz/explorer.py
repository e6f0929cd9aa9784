"""One fuzz run: what could be called next, what was, and which beginnings led somewhere new.

Each play begins where the description has set up: the chain is taken back to there. Calls are counted and their effects noted
(`Beginnings`) until a problem shows; from then on nothing changes, so that the play that met it can be repeated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from chain.fuzz.corpus import Corpus
from chain.fuzz.fuzz_case import (
    Fuzz,
    variable,
)
from chain.fuzz.line_coverage import Lines
from chain.fuzz.report import Report, Tally
from chain.fuzz.source_constants import (
    constants_in,
    files_of,
)
from chain.fuzz.steps import (
    Call,
    Problem,
    Step,
    StepResult,
    Wait,
    entry_name,
    is_view,
    perform,
    problem_after,
)
from chain.fuzz.strategies import ValueHints
from chain.runtime.contract import Contract
from chain.simulator.chain import Chain
from chain.spec.contracts import EntrySpec


class ProblemFound(AssertionError):
    """A play met a problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


class Explorer:
    """Plays on one chain, one after the other, and remembers what they reached."""

    def __init__(self, description: type[Fuzz], lines: bool = True) -> None:
        self.description = description
        self.chain = Chain()
        self.play = self._set_up = description(self.chain)
        self.set_up_by = len(self.chain.receipts)  # so many transactions
        self._start = self.chain.snapshot()
        self.missing = tuple(self.play.missing)
        self.targets = _targets(self.play)
        files = files_of(self.targets.values())
        self.hints = ValueHints(*constants_in(files))
        self._note_set_up()
        self.report = Report(Lines(files, lines))
        self.steps: list[Step] = []
        self.problem: Problem | None = None  # the first one; with it `steps` stay as they are
        self._beginnings = Corpus()
        self._kept: list[Step] = []  # those of the steps that left something behind

    def entries(self, kinds: tuple[str, ...]) -> Iterator[tuple[str, EntrySpec]]:
        """The entries of these kinds that are to be called, each with the name of its contract's handle."""
        for name, contract in self.targets.items():
            for spec in contract.__spec__.entries.values():
                names = {spec.name, spec.abi_name, spec.signature}
                wanted = {*names, *(f"{contract.__name__}.{each}" for each in names)}.isdisjoint(
                    self.description.excluded
                )
                if spec.kind in kinds and not spec.private and wanted:
                    self.report.tallies.setdefault(f"{contract.__name__}.{spec.name}", Tally())
                    yield name, spec

    # A play

    def begin(self) -> None:
        """A play begins."""
        if self.problem is not None:  # all is said
            raise ProblemFound(self.problem)
        self._beginnings.begin()
        self.report.examples += 1

    def restart_from_corpus(self, sort: int, place: int, otherwise: Sequence[Step]) -> None:
        """Within a play, go on from a beginning that led to something new (see `Beginnings.choose`), or from other steps."""
        self._reset()
        beginning = self._beginnings.choose(sort, place)
        for step in beginning:
            self._keep(step, perform(self.play, step))
        for step in () if beginning else otherwise:
            self.perform(step)

    def _reset(self) -> None:
        """Everything is undone but what was set up."""
        self._take_back()
        self.steps, self._kept = [], []
        there = [handle.address for handle in self.play.handles.values()]
        self.hints.begin([*self.play.accounts, *there])

    def _take_back(self) -> None:
        self.chain.revert(self._start)
        self.play = self._set_up.clone()

    def perform(self, step: Step) -> None:
        """Take a step; raises `Found` if it leads to a problem."""
        if isinstance(step, Call) and step.on not in self.play.handles:
            return
        with self.report.lines.watching():
            done = perform(self.play, step)
        if done is None:
            return
        self._keep(step, done)
        if not isinstance(step, Wait):
            name, lines = entry_name(self.play, step), self.report.lines.now
            told = self.report.count(name, done)
            self._beginnings.note(name, done, [*sorted(lines), *sorted(told)], self._kept)
            lines.clear()
        self.problem = problem_after(self.play, step, done)
        if self.problem is not None:
            raise ProblemFound(self.problem)

    def end(self) -> None:
        """A play is over; what it reached is there to go on from."""
        self._beginnings.end()

    def undeployed(self) -> str:
        """Why there is a contract that never could be deployed; empty if there is none."""
        for contract in self.missing:
            init = contract.__spec__.init
            tally = init and self.report.tallies.get(f"{contract.__name__}.{init.name}")
            if tally and not tally.ok:
                why = ", ".join(sorted(tally.words.values()))
                return f"{contract.__name__} could not be deployed with random arguments ({why})"
        return ""

    def replay(self, steps: list[Step]) -> tuple[Problem, int] | None:
        """Play these steps from the start: the first problem, and how many steps led to it."""
        self._take_back()
        for count, step in enumerate(steps, 1):
            done = perform(self.play, step)
            problem = None if done is None else problem_after(self.play, step, done)
            if problem is not None:
                return problem, count
        return None

    # What it reached

    def _keep(self, step: Step, done: StepResult | None) -> None:
        if done is None:
            return
        self.steps.append(step)
        if done.error is None:
            if not is_view(self.play, step):
                self._kept.append(step)
            if isinstance(step, Call):
                spec = self.play.handles[step.on].contract.__spec__.entries[step.entry]
                self._remember(spec, step.args, done.value)

    def _remember(self, spec: EntrySpec, args: Iterable[Any], result: Any) -> None:
        for member, value in zip(spec.params, args, strict=False):
            self.hints.note(member.kind, value)
        self.hints.note(spec.returns, result)

    def _note_set_up(self) -> None:
        for receipt in self.chain.receipts:
            spec = receipt.entry_spec
            if spec is not None and receipt.ok:
                self._remember(spec, receipt.args.values(), receipt.return_value)
        self.hints.set_up()


def _targets(play: Fuzz) -> dict[str, type[Contract]]:
    """Each contract by the name its handle has, or will have."""
    found = {name: handle.contract for name, handle in play.handles.items()}
    found |= {variable(contract.__name__): contract for contract in play.missing}
    if not found:
        raise TypeError(
            f"{type(play).__name__} fuzzes nothing: say 'contracts = (Game,)', or deploy in set_up"
        )
    return found
