"""The plays of a fuzz run, drawn by Hypothesis: the next entry, its sender and its arguments.

Each play omits some of the possible acts, because some problems need the remaining acts often. It starts over rarely or often.
The draws never depend on the state of the play: the same draws may continue from another beginning, and Hypothesis requires
the same sequence of draws.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from hypothesis import HealthCheck, Phase, Verbosity, errors, given, seed, settings
from hypothesis import strategies as st

from chain.fuzz.explorer import CallExplorer, ProblemFound
from chain.fuzz.failure import FuzzFailure
from chain.fuzz.fuzz_case import Fuzz, proposals_of
from chain.fuzz.report import Report
from chain.fuzz.shrink import shrink
from chain.fuzz.steps import Call, PlannedDeployment, Step, StepProblem, Wait
from chain.fuzz.strategies import VALUES_SENT, arguments, seconds
from chain.fuzz.uniform_draws import EVEN
from chain.spec.contracts import EntrySpec

Draw: TypeAlias = Callable[[st.SearchStrategy[object]], Any]
Act: TypeAlias = Callable[[Draw], None]
Choose: TypeAlias = Callable[[Draw], Step | None]  # None if nothing is proposed

RunWatch: TypeAlias = Callable[[int], object]
_DEPLOYMENTS: Final = st.integers(0, 2**16 - 1)
_STARTS: Final = st.tuples(st.sampled_from([-1, 0, 0, 1, 1]), _DEPLOYMENTS)
_HOW_OFTEN: Final = st.sampled_from([0, 5, 25])  # percentage of acts that start over


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

    def played(play: object) -> None:
        watch(1)

    configure = settings(
        backend=EVEN,
        max_examples=max_examples,
        derandomize=True,
        database=None,
        deadline=None,
        # No shrinking by Hypothesis: `shrink` works on the steps themselves, which is faster and goes further.
        phases=(Phase.generate,),
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    try:
        seed(seed_of_run)(configure(given(_plays_of(explorer, steps))(played)))()
    except (ProblemFound, errors.Flaky):
        # Flaky, because the same draws may have continued from another beginning before.
        if explorer.problem is None:
            raise
    if explorer.problem is not None:
        raise finding(explorer, explorer.problem)
    refused = explorer.undeployed()
    if refused:
        raise TypeError(f"{explorer.description.__name__}: {refused}: deploy it in set_up")
    return explorer.report


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


def _plays_of(explorer: CallExplorer, steps: int) -> st.SearchStrategy[None]:
    """Return a strategy of one play. Hypothesis runs it many times."""
    acts = [_act(explorer, choose) for choose in _choices(explorer)]
    subsets = st.lists(st.booleans(), min_size=len(acts), max_size=len(acts))

    def start_over(draw: Draw) -> None:
        sort, position = draw(_STARTS)
        explorer.restart_from_corpus(sort, position, _deployments(explorer, draw))

    @st.composite
    def play(draw: Draw) -> None:
        explorer.begin()
        chosen = [
            act for act, is_chosen in zip(acts, draw(subsets), strict=True) if is_chosen
        ] or acts
        restart_rate = draw(_HOW_OFTEN)
        start_over(draw)
        for _ in range(steps):
            act, chance = divmod(draw(_DEPLOYMENTS), 100)
            (start_over if chance < restart_rate else chosen[act % len(chosen)])(draw)
        explorer.end()

    return play()


def _act(explorer: CallExplorer, choose: Choose) -> Act:
    def act(draw: Draw) -> None:
        step = choose(draw)
        if step is not None:
            explorer.perform(step)

    return act


def _choices(explorer: CallExplorer) -> list[Choose]:
    """Return the possible next acts of a play: any entry that changes state, any view, any proposed call, waiting."""
    choices: list[Choose] = [_any_call(explorer, *target) for target in explorer.entries(("call",))]
    views = [_any_call(explorer, *target) for target in explorer.entries(("view",))]
    if views:
        choices.append(lambda draw: views[draw(_DEPLOYMENTS) % len(views)](draw))
    for method, entry in explorer.description.proposers():
        choices.append(_proposed_call(explorer, method, *_proposed_entry(explorer, method, entry)))
    if explorer.description.time_passes:
        spans = seconds(explorer.hints)
        choices.append(lambda draw: Wait(draw(spans)))
    return choices


def _any_call(explorer: CallExplorer, on: str, spec: EntrySpec) -> Choose:
    value = VALUES_SENT if spec.payable else st.just(0)
    whole = st.tuples(
        arguments(spec, explorer.hints), st.sampled_from(explorer.play.accounts), value
    )
    return lambda draw: Call(on, spec.name, *draw(whole))


def _proposed_call(explorer: CallExplorer, method: str, on: str, spec: EntrySpec) -> Choose:
    """Return a choice that makes one of the calls proposed at that moment, if there are any."""
    whole = st.tuples(_DEPLOYMENTS, st.sampled_from(explorer.play.accounts))

    def step(draw: Draw) -> Step | None:
        index, anyone = draw(whole)
        proposed = proposals_of(explorer.play, method)
        if not proposed:
            return None
        proposal = proposed[index % len(proposed)]
        return Call(on, spec.name, proposal.args, proposal.sender or anyone, proposal.value)

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


def _deployments(explorer: CallExplorer, draw: Draw) -> list[Step]:
    """Return deployments of the contracts that take arguments, with random ones."""
    deployments: list[Step] = []
    for contract in explorer.missing:
        init = contract.__spec__.init
        assert init is not None
        value = VALUES_SENT if init.payable else st.just(0)
        senders = st.sampled_from(explorer.play.accounts)
        drawn = draw(st.tuples(arguments(init, explorer.hints), senders, value))
        deployments.append(PlannedDeployment(contract, *drawn))
    return deployments
