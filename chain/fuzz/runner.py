"""The plays of a fuzz run, drawn by Hypothesis: which entry next, from whom, with what.

Each play leaves out some of what could be done, which finds what needs the rest often, and starts over seldom or often. What
is drawn never depends on how the play stands: the same draws may go on from another beginning, and Hypothesis wants to be
asked the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from hypothesis import HealthCheck, Phase, Verbosity, errors, given, seed, settings
from hypothesis import strategies as st

from chain.fuzz.explorer import (
    Explorer,
    ProblemFound,
)
from chain.fuzz.failure import FuzzFailure
from chain.fuzz.fuzz_case import (
    Fuzz,
    proposals_of,
)
from chain.fuzz.report import Report
from chain.fuzz.shrink import shrink
from chain.fuzz.steps import Call, Deployment, Problem, Step, Wait
from chain.fuzz.strategies import VALUES_SENT, arguments, seconds
from chain.fuzz.uniform_draws import EVEN
from chain.spec.contracts import EntrySpec

Draw: TypeAlias = Callable[[st.SearchStrategy[Any]], Any]
Act: TypeAlias = Callable[[Draw], None]
Choose: TypeAlias = Callable[[Draw], Step | None]  # None: nothing is proposed

_PLACES: Final = st.integers(0, 2**16 - 1)
_STARTS: Final = st.tuples(st.sampled_from([-1, 0, 0, 1, 1]), _PLACES)
_HOW_OFTEN: Final = st.sampled_from([0, 5, 25])  # of a hundred acts, this many start over


def run(
    description: type[Fuzz], max_examples: int, steps: int, seed_of_run: int, lines: bool
) -> Report:
    """Look for a problem; raises `Finding`, or gives the report."""
    explorer = Explorer(description, lines)
    how = settings(
        backend=EVEN,
        max_examples=max_examples,
        derandomize=True,
        database=None,
        deadline=None,
        phases=(Phase.generate,),  # `shorten` works on the steps themselves, faster and further
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    try:
        seed(seed_of_run)(how(given(_plays_of(explorer, steps))(lambda play: None)))()
    except (
        ProblemFound,
        errors.Flaky,
    ):  # flaky, as the same draws may have gone on from elsewhere before
        if explorer.problem is None:
            raise
    if explorer.problem is not None:
        raise _finding(explorer, explorer.problem)
    refused = explorer.undeployed()
    if refused:
        raise TypeError(f"{description.__name__}: {refused}: deploy it in set_up")
    return explorer.report


def _finding(explorer: Explorer, problem: Problem) -> AssertionError:
    shortest = shrink(explorer, explorer.steps, problem)
    if shortest is None:
        return AssertionError(
            f"{explorer.description.__name__}: the same calls went differently the second time, so a contract or an"
            f" invariant depends on something outside the chain. The first time: {problem}"
        )
    found = FuzzFailure(explorer, *shortest)
    found.__cause__ = found.problem.cause
    return found


def _plays_of(explorer: Explorer, steps: int) -> st.SearchStrategy[None]:
    """One play, as Hypothesis runs it many times."""
    acts = [_act(explorer, choose) for choose in _choices(explorer)]
    subsets = st.lists(st.booleans(), min_size=len(acts), max_size=len(acts))

    def start_over(draw: Draw) -> None:
        sort, place = draw(_STARTS)
        explorer.restart_from_corpus(sort, place, _deployments(explorer, draw))

    @st.composite
    def play(draw: Draw) -> None:
        explorer.begin()
        kept = [act for act, is_in in zip(acts, draw(subsets), strict=True) if is_in] or acts
        again = draw(_HOW_OFTEN)
        start_over(draw)
        for _ in range(steps):
            act, chance = divmod(draw(_PLACES), 100)
            (start_over if chance < again else kept[act % len(kept)])(draw)
        explorer.end()

    return play()


def _act(explorer: Explorer, choose: Choose) -> Act:
    def act(draw: Draw) -> None:
        step = choose(draw)
        if step is not None:
            explorer.perform(step)

    return act


def _choices(explorer: Explorer) -> list[Choose]:
    """What a play may do next: each entry that changes something, any view, what is proposed, waiting."""
    found: list[Choose] = [_any_call(explorer, *each) for each in explorer.entries(("call",))]
    views = [_any_call(explorer, *each) for each in explorer.entries(("view",))]
    if views:
        found.append(lambda draw: views[draw(_PLACES) % len(views)](draw))
    for method, entry in explorer.description.proposers():
        found.append(_proposed_call(explorer, method, *_proposed_entry(explorer, method, entry)))
    if explorer.description.time_passes:
        spans = seconds(explorer.hints)
        found.append(lambda draw: Wait(draw(spans)))
    return found


def _any_call(explorer: Explorer, on: str, spec: EntrySpec) -> Choose:
    value = VALUES_SENT if spec.payable else st.just(0)
    whole = st.tuples(
        arguments(spec, explorer.hints), st.sampled_from(explorer.play.accounts), value
    )
    return lambda draw: Call(on, spec.name, *draw(whole))


def _proposed_call(explorer: Explorer, method: str, on: str, spec: EntrySpec) -> Choose:
    """A call that is proposed now, if there is one."""
    whole = st.tuples(_PLACES, st.sampled_from(explorer.play.accounts))

    def step(draw: Draw) -> Step | None:
        place, anyone = draw(whole)
        proposed = proposals_of(explorer.play, method)
        if not proposed:
            return None
        made = proposed[place % len(proposed)]
        return Call(on, spec.name, made.args, made.sender or anyone, made.value)

    return step


def _proposed_entry(explorer: Explorer, method: str, entry: str) -> tuple[str, EntrySpec]:
    contract, _, name = entry.rpartition(".")
    found = [
        (on, spec)
        for on, cls in explorer.targets.items()
        if contract in ("", cls.__name__, on)
        for spec in cls.__spec__.meant(name)
    ]
    if len(found) != 1:
        what = "no contract has such an entry" if not found else "several are called so"
        raise TypeError(
            f"{explorer.description.__name__}.{method} proposes calls of '{entry}': {what}"
            " (Contract.entry says which, by the name of its method)"
        )
    return found[0]


def _deployments(explorer: Explorer, draw: Draw) -> list[Step]:
    """Contracts that wait for arguments are deployed with random ones."""
    made: list[Step] = []
    for contract in explorer.missing:
        init = contract.__spec__.init
        assert init is not None
        value = VALUES_SENT if init.payable else st.just(0)
        senders = st.sampled_from(explorer.play.accounts)
        drawn = draw(st.tuples(arguments(init, explorer.hints), senders, value))
        made.append(Deployment(contract, *drawn))
    return made
