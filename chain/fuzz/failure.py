"""The report of a failure: the problem, the calls that lead to it, and a test file that fails in the same way."""

from __future__ import annotations

from chain.fuzz.explorer import Explorer
from chain.fuzz.report import Report
from chain.fuzz.steps import Problem, Step
from chain.fuzz.write_test import write_test
from chain.ledger.decoded.activity import activity_of
from chain.simulator.last_move import before_and_after


class FuzzFailure(AssertionError):
    """The problem that a fuzz run found, with the shortest steps to it. The chain of the run is left in that state."""

    def __init__(self, explorer: Explorer, steps: list[Step], problem: Problem) -> None:
        self.problem, self.steps = problem, steps
        self.report: Report = explorer.report
        self.activity = activity_of(explorer.chain.ledger, explorer.set_up_by)
        # Of the board of the last call, if it has one.
        self.pictures = before_and_after(explorer.chain)
        self.test = write_test(explorer.play, steps, problem)
        count = "1 step" if len(steps) == 1 else f"{len(steps)} steps"
        super().__init__(
            f"{problem}\n\nIt takes {count}; what happened:\n{self.activity}\nThis test fails in the same way:\n\n{self.test}"
        )
