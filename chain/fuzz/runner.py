"""The state machine that Hypothesis drives: one rule for each entry, one for what is proposed, one for views, one for time.

In each play Hypothesis leaves out some of the rules, which finds what needs the others often. Where to go on from is the
explorer's knowledge. What a rule draws never depends on how the play stands: the same draws may go on from another beginning, and
Hypothesis wants to be asked the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeAlias

from hypothesis import HealthCheck, Phase, Verbosity, errors, reject, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)

from chain.fuzz.describe import Fuzz, proposals_of
from chain.fuzz.explore import Explorer, Found
from chain.fuzz.finding import Finding
from chain.fuzz.report import Report
from chain.fuzz.shorten import shorten
from chain.fuzz.steps import Call, Deployment, Step, Wait
from chain.fuzz.strategies import SECONDS, VALUES_SENT, arguments
from chain.spec import EntrySpec

Draw: TypeAlias = Callable[[st.SearchStrategy[Any]], Any]
Choose: TypeAlias = Callable[[Draw], Step | None]  # None: nothing is proposed

_PLACES: Final = st.integers(0, 2**16 - 1)
_SORTS: Final = st.sampled_from([-1, 0, 1, 1])
_START_OVER: Final = (
    "start_over",
    "start_over_2",
    "start_over_3",
)  # some plays start over often, some never


def run(
    description: type[Fuzz], max_examples: int, steps: int, seed_of_run: int, lines: bool
) -> Report:
    """Look for a problem; raises `Finding`, or gives the report."""
    explorer = Explorer(description, lines)
    machine = seed(seed_of_run)(machine_of(explorer))
    how = settings(
        max_examples=max_examples,
        stateful_step_count=steps,
        derandomize=True,
        database=None,
        deadline=None,
        phases=(Phase.generate,),  # `shorten` works on the steps themselves, faster and further
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    try:
        run_state_machine_as_test(machine, settings=how)
    except Found as found:
        problem = found.problem
        shortest = shorten(explorer, explorer.steps, problem)
        raise Finding(explorer, shortest, problem) from problem.cause
    except errors.Flaky as flaky:
        raise AssertionError(
            f"{description.__name__}: the same calls went differently the second time, so a contract or an"
            " invariant depends on something outside the chain"
        ) from flaky
    except errors.Unsatisfiable:
        refused = "; ".join(sorted(reason for _, reason in explorer.report.reached))
        raise TypeError(
            f"{description.__name__}: no contract could be deployed with random arguments ({refused}):"
            " deploy it in set_up"
        ) from None
    return explorer.report


def machine_of(explorer: Explorer) -> type[RuleBasedStateMachine]:
    """The state machine of a run."""

    class Machine(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            explorer.begin()

        @initialize(data=st.data())
        def begin(self, data: st.DataObject) -> None:
            _start_over(explorer, data.draw)

        def teardown(self) -> None:
            explorer.end()

    for name in _START_OVER:
        setattr(Machine, name, _rule(name, partial(_start_over, explorer)))
    for name, step in _choices(explorer).items():
        setattr(Machine, name, _rule(name, partial(_take, explorer, step)))
    return Machine


def _rule(name: str, act: Callable[[Draw], None]) -> Any:
    def run_rule(self: Any, data: st.DataObject) -> None:
        act(data.draw)

    run_rule.__name__ = name
    return rule(data=st.data())(run_rule)


def _take(explorer: Explorer, choose: Choose, draw: Draw) -> None:
    step = choose(draw)
    if step is not None:
        explorer.take(step)


def _start_over(explorer: Explorer, draw: Draw) -> None:
    """Within one play of Hypothesis, the chain may be played on from many beginnings."""
    sort, place, deployments = draw(_SORTS), draw(_PLACES), _deployments(explorer, draw)
    if not explorer.resume(sort, place):
        for step in deployments:
            explorer.take(step)
    if explorer.play.missing:
        reject()


def _choices(explorer: Explorer) -> dict[str, Choose]:
    """What a play may do next, by the name of the rule."""
    found: dict[str, Choose] = {}
    for on, spec in explorer.entries(("call",)):
        found[f"call_{on}_{spec.name}"] = _any_call(explorer, on, spec)
    views = [_any_call(explorer, on, spec) for on, spec in explorer.entries(("view",))]
    if views:
        found["look"] = lambda draw: views[draw(st.integers(0, len(views) - 1))](draw)
    for method, entry in explorer.description.proposers():
        on, spec = _proposed_entry(explorer, method, entry)
        found[f"propose_{method}"] = _proposed_call(explorer, on, spec, method)
    if explorer.description.waits:
        found["wait"] = lambda draw: Wait(draw(SECONDS))
    return found


def _any_call(explorer: Explorer, on: str, spec: EntrySpec) -> Choose:
    value = VALUES_SENT if spec.payable else st.just(0)
    whole = st.tuples(
        arguments(spec, explorer.hints), st.sampled_from(explorer.play.accounts), value
    )
    return lambda draw: Call(on, spec.name, *draw(whole))


def _proposed_call(explorer: Explorer, on: str, spec: EntrySpec, method: str) -> Choose:
    """A call that is proposed now, if there is one."""
    senders = st.sampled_from(explorer.play.accounts)

    def step(draw: Draw) -> Step | None:
        place, anyone = draw(_PLACES), draw(senders)
        proposed = proposals_of(explorer.play, method)
        if not proposed:
            return None
        made = proposed[place % len(proposed)]
        return Call(on, spec.name, made.args, made.sender or anyone, made.value)

    return step


def _proposed_entry(explorer: Explorer, method: str, entry: str) -> tuple[str, EntrySpec]:
    contract, _, name = entry.rpartition(".")
    found = [
        (on, cls.__spec__.entries[name])
        for on, (cls, _) in explorer.targets.items()
        if name in cls.__spec__.entries and contract in ("", cls.__name__, on)
    ]
    if len(found) != 1:
        what = "no contract has" if not found else "several contracts have"
        raise TypeError(
            f"{explorer.description.__name__}.{method} proposes calls of '{entry}': {what} such an entry"
            " (Contract.entry says which)"
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
