"""The report of a failure: the problem, the calls that lead to it, and a test file that fails in the same way."""

from __future__ import annotations

from chain.fuzz.explorer import CallExplorer
from chain.fuzz.report import Report, counted
from chain.fuzz.steps import Step, StepProblem
from chain.fuzz.write_test import write_test
from chain.ledger.decoded.activity import activity_of
from chain.simulator.last_move import before_and_after


class FuzzFailure(AssertionError):
    """The problem that a fuzz run found, with the shortest steps to it. The chain of the run is left in that state.

    >>> class RaceFuzz(Fuzz):
    ...     contracts = (Race,)
    ...     @invariant
    ...     def nobody_has_a_name(self):
    ...         assert len(self.handle.fields.names) == 0
    >>> try:
    ...     RaceFuzz.run(max_examples=20, steps=5, lines=False)
    ... except AssertionError as failure:
    ...     len(failure.steps), "def test" in failure.test
    (1, True)
    """

    def __init__(self, explorer: CallExplorer, steps: list[Step], problem: StepProblem) -> None:
        self.problem = problem  # the problem
        self.steps = steps  # the shortest calls that lead to the problem
        self.report: Report = explorer.report  # the report of the run
        # What happened, as text.
        self.activity = activity_of(explorer.chain.ledger, explorer.set_up_by)
        # Of the board of the last call, if it has one.
        self.pictures = before_and_after(explorer.chain)
        # A test file that fails in the same way.
        self.test = write_test(explorer.play, steps, problem)
        count = counted(len(steps), "step")
        happened = f"; what happened:\n{self.activity}" if self.activity else ".\n"
        super().__init__(
            f"{problem}\n\nIt takes {count}{happened}\nThis test fails in the same way:\n\n{self.test}"
        )
