"""The plays of a fuzz run: the next entry, its sender and its arguments, drawn at random.

Each play omits some of the possible acts, because some problems need the remaining acts often. It starts over rarely or often.
All draws come from one seed, so the same run always makes the same calls.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final, TypeAlias

from chain.fuzz.explorer import CallExplorer, ProblemFound
from chain.fuzz.failure import FuzzFailure
from chain.fuzz.fuzz_case import Fuzz, proposals_of
from chain.fuzz.random_values import Draw, NoValue, arguments, pick, seconds, wei
from chain.fuzz.report import Report
from chain.fuzz.shrink import shrink
from chain.fuzz.steps import Call, PlannedDeployment, Step, StepProblem, Wait
from chain.runtime.contract import Contract
from chain.spec.contracts import EntrySpec

Choose: TypeAlias = Draw[Step | None]  # None if nothing is proposed

RunWatch: TypeAlias = Callable[[int], object]
_SORTS: Final = (
    -1,
    0,
    0,
    1,
    1,
)  # of beginnings: none, those with a new behaviour, those with a new value in storage
_RESTARTS: Final = (0, 0.05, 0.25)  # the share of acts that start over


def run(
    description: type[Fuzz],
    max_examples: int,
    steps: int,
    seed_of_run: int,
    lines: bool,
    watch: RunWatch,
) -> Report:
    """Search for a problem. Raise `FuzzFailure`, or return the report if there is none."""
    return explore(CallExplorer(description, lines), max_examples, steps, seed_of_run, watch)


def explore(
    explorer: CallExplorer, max_examples: int, steps: int, seed_of_run: int, watch: RunWatch = int
) -> Report:
    """Search for a problem from where an explorer is. `watch` is called with 1 after each play."""
    plays = _Plays(explorer, Random(seed_of_run))
    try:
        for _ in range(max_examples):
            plays.play(steps)
            watch(1)
    except ProblemFound as found:
        problem = found.problem
    else:
        refused = explorer.undeployed()
        if refused:
            raise TypeError(f"{explorer.description.__name__}: {refused}: deploy it in set_up")
        return explorer.report
    raise finding(explorer, problem)


def finding(explorer: CallExplorer, problem: StepProblem) -> AssertionError:
    """Return the failure to raise for a problem, with the shortest steps to it."""
    shortest = shrink(explorer, explorer.steps, problem)
    if shortest is None:
        return AssertionError(
            f"{explorer.description.__name__}: the same calls had another outcome the second time, "
            "so a contract or an invariant depends on something outside the chain. The first time: "
            f"{problem}"
        )
    failure = FuzzFailure(explorer, *shortest)
    failure.__cause__ = failure.problem.cause
    return failure


class _Plays:
    """Plays of a run, one after the other."""

    def __init__(self, explorer: CallExplorer, random: Random) -> None:
        self._explorer, self._random = explorer, random
        self._choices = _choices(explorer)
        self._deployments = [_deployment(explorer, contract) for contract in explorer.missing]

    def play(self, steps: int) -> None:
        """Play once. Raise `ProblemFound` if a call leads to a problem."""
        explorer, random = self._explorer, self._random
        explorer.begin()
        choices = [choose for choose in self._choices if random.random() < 0.5] or self._choices
        restarts = pick(random, _RESTARTS)
        self._start_over()
        for _ in range(steps):
            if random.random() < restarts:
                self._start_over()
            else:
                self._take(pick(random, choices))
        explorer.end()

    def _start_over(self) -> None:
        explorer, random = self._explorer, self._random
        if not explorer.restart_from_corpus(pick(random, _SORTS), random.getrandbits(16)):
            for deploy in self._deployments:
                self._take(deploy)

    def _take(self, choose: Choose) -> None:
        try:
            step = choose(self._random)
        except NoValue:
            return
        if step is not None:
            self._explorer.perform(step)


def _choices(explorer: CallExplorer) -> list[Choose]:
    """Return the possible next acts of a play: any entry that changes state, any view, any proposed call, waiting."""
    choices: list[Choose] = [_any_call(explorer, *target) for target in explorer.entries(("call",))]
    views = [_any_call(explorer, *target) for target in explorer.entries(("view",))]
    if views:
        choices.append(lambda random: pick(random, views)(random))
    for method, entry in explorer.description.proposers():
        choices.append(_proposed_call(explorer, method, *_proposed_entry(explorer, method, entry)))
    if explorer.description.time_passes:
        spans = seconds(explorer.hints)
        choices.append(lambda random: Wait(spans(random)))
    return choices


def _any_call(explorer: CallExplorer, on: str, spec: EntrySpec) -> Choose:
    args, value, senders = (
        arguments(spec, explorer.hints),
        wei(spec.payable),
        explorer.play.accounts,
    )

    def step(random: Random) -> Step:
        return Call(on, spec.name, args(random), pick(random, senders), value(random))

    return step


def _proposed_call(explorer: CallExplorer, method: str, on: str, spec: EntrySpec) -> Choose:
    """Return a choice that makes one of the calls proposed at that moment, if there are any."""
    senders = explorer.play.accounts

    def step(random: Random) -> Step | None:
        proposed = proposals_of(explorer.play, method)
        if not proposed:
            return None
        proposal = pick(random, proposed)
        sender = proposal.sender or pick(random, senders)
        return Call(on, spec.name, proposal.args, sender, proposal.value)

    return step


def _proposed_entry(explorer: CallExplorer, method: str, entry: str) -> tuple[str, EntrySpec]:
    contract, _, name = entry.rpartition(".")
    matches = [
        (on, spec)
        for on, cls in explorer.targets.items()
        if contract in ("", cls.__name__, on)
        for spec in cls.__spec__.resolve(name)
    ]
    if len(matches) != 1:
        reason = "no contract has such an entry" if not matches else "several have that name"
        raise TypeError(
            f"{explorer.description.__name__}.{method} proposes calls of '{entry}': {reason}"
            " (Contract.entry says which, by the name of its method)"
        )
    return matches[0]


def _deployment(explorer: CallExplorer, contract: type[Contract]) -> Choose:
    """Return a draw of a deployment of a contract that takes arguments."""
    init = contract.__spec__.init
    assert init is not None
    args, value, senders = (
        arguments(init, explorer.hints),
        wei(init.payable),
        explorer.play.accounts,
    )
    return lambda random: PlannedDeployment(
        contract, args(random), pick(random, senders), value(random)
    )
