"""One fuzz run: the possible next calls, the calls that were made, and the beginnings that led to something new.

Each play begins at the state that the description has set up; the chain is reverted to it. Calls are counted and their effects
recorded in the `Corpus` until a problem shows, which ends the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from chain.fuzz.corpus import Corpus
from chain.fuzz.effects import EffectReader
from chain.fuzz.fuzz_case import Fuzz, variable
from chain.fuzz.line_coverage import CoveredLines
from chain.fuzz.random_values import ValueHints
from chain.fuzz.report import EntryTally, Report
from chain.fuzz.source_constants import constants_in, files_of
from chain.fuzz.steps import (
    Call,
    Step,
    StepProblem,
    StepResult,
    Wait,
    entry_name,
    perform,
    problem_after,
)
from chain.runtime.contract import Contract
from chain.simulator.chain import Chain
from chain.spec.contracts import EntrySpec
from chain.values.inputs import items


class ProblemFound(AssertionError):
    """A play led to a problem."""

    def __init__(self, problem: StepProblem) -> None:
        super().__init__(str(problem))
        self.problem = problem


class CallExplorer:
    """Runs plays on one chain, one after the other, and records what they reached."""

    def __init__(self, description: type[Fuzz], lines: bool = True) -> None:
        self.description = description
        self.chain = Chain()
        self.play = self._set_up = description(self.chain)
        self.set_up_by = len(self.chain.receipts)  # the number of transactions
        self._start = self.chain.snapshot()
        self.missing = tuple(self.play.missing)
        self.targets = _targets(self.play)
        _require_entries(description, self.targets)
        files = files_of(self.targets.values())
        self.hints = ValueHints(*constants_in(files))
        self._record_set_up()
        self._invariants = description.invariants()
        self._effects = EffectReader(self.chain.ledger)
        self.report = Report(_covered_by_set_up(description, files, lines))
        self.steps: list[Step] = []
        self.corpus = Corpus()
        self._kept: list[Step] = []  # the steps that changed the chain

    def entries(self, kinds: tuple[str, ...]) -> Iterator[tuple[str, EntrySpec]]:
        """Yield the callable entries of these kinds, each with the name of the handle of its contract."""
        for name, contract in self.targets.items():
            for spec in contract.__spec__.entries.values():
                is_included = _names(contract, spec).isdisjoint(self.description.excluded)
                if spec.kind in kinds and not spec.private and is_included:
                    self.report.tallies.setdefault(f"{contract.__name__}.{spec.name}", EntryTally())
                    yield name, spec

    # A play

    def begin(self) -> None:
        """Start a play."""
        self.corpus.begin()
        self.report.examples += 1

    def restart_from_corpus(self, sort: int, place: int) -> bool:
        """Within a play, continue from a beginning that led to something new, if there is one (see `Corpus.choose`)."""
        self._reset()
        beginning = self.corpus.choose(sort, place)
        for step in beginning:
            self._keep(step, perform(self.play, step))
        return bool(beginning)

    def _reset(self) -> None:
        """Undo everything but the set-up."""
        self._undo()
        self.steps, self._kept = [], []
        addresses = [handle.address for handle in self.play.handles.values()]
        self.hints.begin([*self.play.accounts, *addresses])

    def _undo(self) -> None:
        self.chain.revert(self._start)
        self.play = self._set_up.clone()

    def play_again(self, steps: Sequence[Step]) -> None:
        """Play these steps as a play of their own, and record what they reach. Raise `ProblemFound` if they meet a problem."""
        self.begin()
        self._reset()
        for step in steps:
            self.perform(step)
        self.end()

    def perform(self, step: Step) -> None:
        """Take a step. Raise `ProblemFound` if it leads to a problem."""
        if isinstance(step, Call) and step.on not in self.play.handles:
            return
        with self.report.lines:
            result = perform(self.play, step)
        if result is None:
            return
        self._keep(step, result)
        if not isinstance(step, Wait):
            self._record(entry_name(self.play, step), result)
        problem = problem_after(self.play, self._invariants, step, result)
        if problem is not None:
            raise ProblemFound(problem)

    def _record(self, name: str, result: StepResult) -> None:
        error, outcome = result.error, self._effects.outcome(result.error)
        receipt = result.receipt if error is None else None
        announced = [] if receipt is None else self._effects.announced(receipt)
        self.report.count(name, outcome, error, announced)
        told = [(name, text) for text in announced]
        stored = () if receipt is None else self._effects.stored(receipt)
        lines = self.report.lines.take()
        self.corpus.record([(name, outcome), *lines, *told], stored, self._kept)

    def end(self) -> None:
        """Finish a play. Later plays can continue from what it reached."""
        self.corpus.end()

    def undeployed(self) -> str:
        """Return the reason why a contract could never be deployed; empty if there is no such contract."""
        for contract in self.missing:
            init = contract.__spec__.init
            tally = init and self.report.tallies.get(f"{contract.__name__}.{init.name}")
            if tally and not tally.ok:
                reasons = ", ".join(sorted(tally.words.values()))
                return (
                    f"{contract.__name__} could not be deployed with random arguments ({reasons})"
                )
        return ""

    def replay(self, steps: list[Step]) -> tuple[StepProblem, int] | None:
        """Play these steps from the start. Return the first problem and the number of steps that led to it."""
        self._undo()
        for count, step in enumerate(steps, 1):
            result = perform(self.play, step)
            problem = (
                None if result is None else problem_after(self.play, self._invariants, step, result)
            )
            if problem is not None:
                return problem, count
        return None

    # Results

    def _keep(self, step: Step, done: StepResult | None) -> None:
        if done is None:
            return
        self.steps.append(step)
        if done.error is None:
            if not done.is_of_view:
                self._kept.append(step)
            if done.spec is not None and isinstance(step, Call):
                self._remember(done.spec, step.args, done.value)

    def _remember(self, spec: EntrySpec, args: Iterable[object], result: object) -> None:
        for member, value in zip(spec.params, args, strict=False):
            self.hints.record(member.kind, value)
        self.hints.record(spec.returns, result)

    def _record_set_up(self) -> None:
        for receipt in self.chain.receipts:
            spec = receipt.entry_spec
            if spec is not None and receipt.ok:
                self._remember(spec, receipt.args.values(), receipt.return_value)
        self.hints.set_up()


def _covered_by_set_up(description: type[Fuzz], files: Sequence[str], wanted: bool) -> CoveredLines:
    """Return the lines that the set-up reaches, such as those of `@init`. The first one told which files count."""
    lines = CoveredLines(files, wanted)
    if lines.files:
        with lines:
            description(Chain())
        lines.take()
    return lines


def _names(contract: type[Contract], spec: EntrySpec) -> set[str]:
    """Return the names by which `excluded` may mean an entry."""
    names = {spec.name, spec.abi_name, spec.signature}
    return names | {f"{contract.__name__}.{name}" for name in names}


def _require_entries(description: type[Fuzz], targets: Mapping[str, type[Contract]]) -> None:
    """Refuse names in `excluded` that are those of no entry."""
    known = {
        name
        for contract in targets.values()
        for spec in contract.__spec__.entries.values()
        for name in _names(contract, spec)
    }
    for name in items(description.excluded, "excluded"):
        if name not in known:
            raise TypeError(
                f"{description.__name__} excludes '{name}': no contract has such an entry"
            )


def _targets(play: Fuzz) -> dict[str, type[Contract]]:
    """Return each contract under the name that its handle has or will have."""
    targets = {name: handle.contract for name, handle in play.handles.items()}
    targets |= {variable(contract.__name__): contract for contract in play.missing}
    if not targets:
        raise TypeError(
            f"{type(play).__name__} fuzzes nothing: write 'contracts = (Game,)', or deploy in set_up"
        )
    return targets
