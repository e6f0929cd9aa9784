"""Shrinking of steps that lead to a problem: as few and as simple as possible while they still lead to it.

Steps are removed and their values simplified. Each attempt is played on the chain.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from itertools import chain
from typing import Any, Final

from chain.fuzz.explorer import CallExplorer
from chain.fuzz.fuzz_case import name_of
from chain.fuzz.steps import Call, PlannedDeployment, Step, StepProblem, Wait
from chain.types import Address

_TRIES: Final = 1500


def shrink(
    explorer: CallExplorer, steps: list[Step], problem: StepProblem
) -> tuple[list[Step], StepProblem] | None:
    """Return the fewest steps found that lead to the problem, and the problem; None if `steps` do not reproduce it."""
    search = _Search(explorer, problem)
    reproduced = search.reproduces(steps)
    if reproduced is None:
        return None
    steps = search.leave_out(reproduced)
    # A simpler value later on may allow an earlier one to be simpler too.
    while (simpler := search.leave_out(search.simplify(steps))) != steps:
        steps = simpler
    outcome = explorer.replay(steps)
    return None if outcome is None else (steps, outcome[0])


class _Search:
    def __init__(self, explorer: CallExplorer, problem: StepProblem) -> None:
        self._explorer, self._problem, self._left = explorer, problem, _TRIES

    def reproduces(self, steps: list[Step]) -> list[Step] | None:
        """Return the steps up to the problem if they still lead to it."""
        self._left -= 1
        if self._left < 0:
            return None
        try:
            outcome = self._explorer.replay(steps)
        except (TypeError, ValueError, KeyError):
            # A value cannot be sent, or a contract is not deployed.
            return None
        return (
            steps[: outcome[1]]
            if outcome is not None and self._problem.is_like(outcome[0])
            else None
        )

    def leave_out(self, steps: list[Step]) -> list[Step]:
        """Remove steps: large pieces before small ones, later pieces before earlier ones."""
        size = max(1, len(steps) // 2)
        while True:
            start = len(steps) - size
            while start >= 0:
                fewer = self.reproduces(steps[:start] + steps[start + size :])
                if fewer is not None:
                    steps = fewer
                start = min(start, len(steps)) - size
            if size == 1:
                return steps
            size //= 2

    def simplify(self, steps: list[Step]) -> list[Step]:
        """Replace accounts by earlier ones throughout, then simplify each value separately."""
        accounts = list(self._explorer.play.accounts)
        for i, account in enumerate(accounts):
            for earlier in accounts[:i]:
                steps = (
                    self.reproduces([with_account(step, account, earlier) for step in steps])
                    or steps
                )
        index = 0
        while index < len(steps):
            better = next(
                filter(None, map(self.reproduces, self._with_simpler(steps, index))), None
            )
            if better is None:
                index += 1
            else:
                steps = better
        return steps

    def _with_simpler(self, steps: list[Step], at: int) -> Iterator[list[Step]]:
        accounts = self._explorer.play.accounts
        for step in simpler_step(steps[at], list(accounts)):
            yield [*steps[:at], step, *steps[at + 1 :]]


def with_account(value: object, account: Address, other: Address) -> Any:
    """Return the step or value with `other` in place of `account`, whether given by address, as text or by name."""
    match value:
        case str() if value == name_of(account):
            return name_of(other)
        case bytes() if value == account:
            return other
        case list() | tuple():
            return type(value)(with_account(item, account, other) for item in value)
        case _ if is_dataclass(value) and not isinstance(value, type):
            parts = {field.name: getattr(value, field.name) for field in fields(value)}
            changed = {name: with_account(part, account, other) for name, part in parts.items()}
            return value if changed == parts else replace(value, **changed)
        case _:
            return value


def simpler_step(step: Step, accounts: list[Address]) -> Iterator[Step]:
    """Yield simpler variants of a step: an earlier sender, a smaller value, simpler arguments."""
    match step:
        case Wait(seconds=seconds):
            yield from (Wait(simpler) for simpler in simpler_values(seconds) if simpler >= 0)
        case Call() | PlannedDeployment():
            index = accounts.index(step.sender) if step.sender in accounts else 0
            yield from (replace(step, sender=earlier) for earlier in accounts[:index])
            yield from (replace(step, value=simpler) for simpler in simpler_values(step.value))
            yield from (replace(step, args=args) for args in _simpler_parts(step.args))


def simpler_values(value: object) -> Iterator[Any]:
    """Yield values of the same type that are easier to read."""
    match value:
        case bool():
            yield from [False] * value
        case int() if type(value) is int and value:
            if value < 0:
                yield -value
            candidates = (
                0,
                1,
                value // 2 if value > 0 else -(-value // 2),
                value - (1 if value > 0 else -1),
            )
            yield from (
                simpler for simpler in dict.fromkeys(candidates) if abs(simpler) < abs(value)
            )
        case str() if type(value) is str and value:
            yield from dict.fromkeys(("", value[: len(value) // 2], value[:-1]))
        case list() | tuple():
            parts = tuple(value)
            fewer = ((*parts[:i], *parts[i + 1 :]) for i in range(len(parts)))
            yield from map(type(value), chain(fewer, _simpler_parts(parts)))
        case _ if is_dataclass(value) and not isinstance(value, type):
            for field in fields(value):
                for simpler in simpler_values(getattr(value, field.name)):
                    with suppress(Exception):  # a dataclass may refuse the value
                        yield replace(value, **{field.name: simpler})


def _simpler_parts(values: tuple[object, ...]) -> Iterator[tuple[object, ...]]:
    for i, value in enumerate(values):
        for simpler in simpler_values(value):
            yield (*values[:i], simpler, *values[i + 1 :])
