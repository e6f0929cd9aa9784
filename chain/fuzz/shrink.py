"""A list of steps that leads to a problem, made as short and as plain as it can be while it still does.

Hypothesis shrinks what it drew; but what it drew may be "the fourth legal move", or a beginning taken from an earlier play.
Here the steps themselves are left out and their values made simpler, and each try is played on the chain.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from itertools import chain
from typing import Any, Final

from chain.fuzz.explorer import Explorer
from chain.fuzz.fuzz_case import name_of
from chain.fuzz.steps import Call, Deployment, Problem, Step, Wait
from chain.types import Address

_TRIES: Final = 1500


def shrink(
    explorer: Explorer, steps: list[Step], problem: Problem
) -> tuple[list[Step], Problem] | None:
    """The fewest steps found that end in such a problem, as the chain then stands; None if these do not."""
    search = _Search(explorer, problem)
    again = search.reproduces(steps)
    if again is None:
        return None
    steps = search.leave_out(search.simplify(search.leave_out(again)))
    met = explorer.replay(steps)
    return None if met is None else (steps, met[0])


class _Search:
    def __init__(self, explorer: Explorer, problem: Problem) -> None:
        self._explorer, self._problem, self._left = explorer, problem, _TRIES

    def reproduces(self, steps: list[Step]) -> list[Step] | None:
        """The steps as far as the problem, if they still lead there."""
        self._left -= 1
        if self._left < 0:
            return None
        try:
            met = self._explorer.replay(steps)
        except (
            TypeError,
            ValueError,
            KeyError,
        ):  # a value that cannot be sent, a contract that is not there
            return None
        return steps[: met[1]] if met is not None and self._problem.is_like(met[0]) else None

    def leave_out(self, steps: list[Step]) -> list[Step]:
        """Larger pieces first, the later ones before the earlier."""
        size = max(1, len(steps) // 2)
        while True:
            at = len(steps) - size
            while at >= 0:
                fewer = self.reproduces(steps[:at] + steps[at + size :])
                if fewer is not None:
                    steps = fewer
                at = min(at, len(steps)) - size
            if size == 1:
                return steps
            size //= 2

    def simplify(self, steps: list[Step]) -> list[Step]:
        """An earlier account in all places of another one, then each value for itself."""
        accounts = list(self._explorer.play.accounts)
        for i, account in enumerate(accounts):
            for earlier in accounts[:i]:
                steps = (
                    self.reproduces([with_account(step, account, earlier) for step in steps])
                    or steps
                )
        at = 0
        while at < len(steps):
            better = next(filter(None, map(self.reproduces, self._with_simpler(steps, at))), None)
            if better is None:
                at += 1
            else:
                steps = better
        return steps

    def _with_simpler(self, steps: list[Step], at: int) -> Iterator[list[Step]]:
        first = self._explorer.play.accounts
        for step in simpler_step(steps[at], list(first)):
            yield [*steps[:at], step, *steps[at + 1 :]]


def with_account(value: Any, account: Address, other: Address) -> Any:
    """The same step or value with `other` wherever it speaks of `account`, be it by address, as text or by name."""
    match value:
        case str() if value == name_of(account):
            return name_of(other)
        case bytes() if value == account:
            return other
        case list() | tuple():
            return type(value)(with_account(each, account, other) for each in value)
        case _ if is_dataclass(value) and not isinstance(value, type):
            parts = {field.name: getattr(value, field.name) for field in fields(value)}
            changed = {name: with_account(part, account, other) for name, part in parts.items()}
            return value if changed == parts else replace(value, **changed)
        case _:
            return value


def simpler_step(step: Step, accounts: list[Address]) -> Iterator[Step]:
    match step:
        case Wait(seconds=seconds):
            yield from (Wait(less) for less in simpler_values(seconds) if less >= 0)
        case Call() | Deployment():
            place = accounts.index(step.sender) if step.sender in accounts else 0
            yield from (replace(step, sender=who) for who in accounts[:place])
            yield from (replace(step, value=less) for less in simpler_values(step.value))
            yield from (replace(step, args=args) for args in _simpler_parts(step.args))


def simpler_values(value: Any) -> Iterator[Any]:
    """Values of the same kind that a person would rather read."""
    match value:
        case bool():
            yield from [False] * value
        case int() if type(value) is int and value:
            if value < 0:
                yield -value
            tries = (
                0,
                1,
                value // 2 if value > 0 else -(-value // 2),
                value - (1 if value > 0 else -1),
            )
            yield from (less for less in dict.fromkeys(tries) if abs(less) < abs(value))
        case str() if type(value) is str and value:
            yield from dict.fromkeys(("", value[: len(value) // 2], value[:-1]))
        case list() | tuple():
            parts = tuple(value)
            fewer = ((*parts[:i], *parts[i + 1 :]) for i in range(len(parts)))
            yield from map(type(value), chain(fewer, _simpler_parts(parts)))
        case _ if is_dataclass(value) and not isinstance(value, type):
            for field in fields(value):
                for less in simpler_values(getattr(value, field.name)):
                    with suppress(Exception):  # a dataclass may refuse to be made of it
                        yield replace(value, **{field.name: less})


def _simpler_parts(values: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    for i, value in enumerate(values):
        for less in simpler_values(value):
            yield (*values[:i], less, *values[i + 1 :])
